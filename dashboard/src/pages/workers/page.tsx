/** Workers. */
import { Page } from "~/app/page";
import { Skeletons } from "~/components/skeleton";

export function WorkersPage() {
  return (
    <Page title="Workers">
      <Skeletons />
    </Page>
  );
}
