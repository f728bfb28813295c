/** Queues. */
import { Page } from "~/app/page";
import { Skeletons } from "~/components/skeleton";

export function QueuesPage() {
  return (
    <Page title="Queues">
      <Skeletons />
    </Page>
  );
}
