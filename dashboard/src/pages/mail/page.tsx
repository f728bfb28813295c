/** Mail. */
import { Page } from "~/app/page";
import { Skeletons } from "~/components/skeleton";

export function MailPage() {
  return (
    <Page title="Mail">
      <Skeletons />
    </Page>
  );
}
