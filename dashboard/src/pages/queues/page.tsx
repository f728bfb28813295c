/** Queues: what waits in each, how fast it goes, and when it will be done. */
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { fleet } from "~/api/fleet";
import type { Queue } from "~/api/shapes";
import { Page } from "~/app/page";
import { Empty } from "~/components/empty";
import { Failure } from "~/components/failure";
import { Grid } from "~/components/grid";
import { quoted } from "../jobs/words";
import { COLUMNS } from "./columns";

const FIRST_JOB = `windlass enqueue add_numbers '{"x": 2, "y": 3}' --queue sums`;

export function QueuesPage() {
  const queues = useQuery(fleet.queues);
  const go = useNavigate();
  const open = (queue: Queue) =>
    void go({ to: "/jobs", search: { q: `queue:${quoted(queue.name)}` } });
  return (
    <Page title="Queues" whole>
      {queues.isLoadingError ? (
        <Failure error={queues.error} again={() => void queues.refetch()} />
      ) : (
        <div className="flex min-h-0 flex-col overflow-hidden rounded-lg border border-line bg-panel [--act:2.25rem] sm:[--act:6.5rem]">
          <Grid
            label="Queues"
            columns={COLUMNS}
            rows={queues.data ?? []}
            keyOf={(queue) => queue.name}
            total={queues.data?.length}
            rowHeight={52}
            loading={queues.isPending}
            onOpen={open}
            empty={<NoQueues />}
          />
        </div>
      )}
    </Page>
  );
}

function NoQueues() {
  return (
    <Empty icon="queues" title="No queue yet" command={FIRST_JOB}>
      <p>A queue is there from its first job on. Nothing has to be set up:</p>
    </Empty>
  );
}
