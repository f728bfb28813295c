/** Submit. */
import { Page } from "~/app/page";
import { Skeletons } from "~/components/skeleton";

export function SubmitPage() {
  return (
    <Page title="Submit">
      <Skeletons />
    </Page>
  );
}
