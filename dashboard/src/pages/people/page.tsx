/** Users and tokens. */
import { Page } from "~/app/page";
import { Skeletons } from "~/components/skeleton";

export function PeoplePage() {
  return (
    <Page title="Users and tokens">
      <Skeletons />
    </Page>
  );
}
