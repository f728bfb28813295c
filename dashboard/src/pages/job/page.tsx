/** Job. */
import { Page } from "~/app/page";
import { Skeletons } from "~/components/skeleton";

export function JobPage() {
  return (
    <Page title="Job">
      <Skeletons />
    </Page>
  );
}
