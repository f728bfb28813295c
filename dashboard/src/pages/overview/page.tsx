/** Overview. */
import { Page } from "~/app/page";
import { Skeletons } from "~/components/skeleton";

export function OverviewPage() {
  return (
    <Page title="Overview">
      <Skeletons />
    </Page>
  );
}
