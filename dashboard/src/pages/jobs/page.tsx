/** Jobs. */
import { Page } from "~/app/page";
import { Skeletons } from "~/components/skeleton";

export function JobsPage() {
  return (
    <Page title="Jobs">
      <Skeletons />
    </Page>
  );
}
