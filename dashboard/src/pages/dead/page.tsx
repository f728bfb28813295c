/** Dead letters. */
import { Page } from "~/app/page";
import { Skeletons } from "~/components/skeleton";

export function DeadPage() {
  return (
    <Page title="Dead letters">
      <Skeletons />
    </Page>
  );
}
