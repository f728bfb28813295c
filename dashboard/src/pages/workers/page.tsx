/** Workers: who runs what, how much room is left, and who is being emptied. */
import { useQuery } from "@tanstack/react-query";
import { fleet } from "~/api/fleet";
import type { Worker } from "~/api/shapes";
import { Page } from "~/app/page";
import { Empty } from "~/components/empty";
import { Failure } from "~/components/failure";
import { Skeletons } from "~/components/skeleton";
import { count } from "~/components/words";
import { NodePanel } from "./node";

export function WorkersPage() {
  const workers = useQuery(fleet.workers);
  return (
    <Page title="Workers" actions={workers.data && <Sum workers={workers.data} />}>
      {workers.isPending && <Skeletons />}
      {workers.isLoadingError && (
        <Failure error={workers.error} again={() => void workers.refetch()} />
      )}
      {workers.data?.length === 0 && <NoWorkers />}
      {byNode(workers.data ?? []).map(([node, its]) => (
        <NodePanel key={node} workers={its} />
      ))}
    </Page>
  );
}

function Sum({ workers }: { workers: readonly Worker[] }) {
  const live = workers.filter((worker) => worker.alive);
  const used = live.reduce((sum, worker) => sum + worker.slots_in_use, 0);
  const slots = live.reduce((sum, worker) => sum + worker.slots, 0);
  return (
    <p className="text-sm text-soft">
      {count(live.length, "worker")} · {used} of {count(slots, "slot")} in use
    </p>
  );
}

function NoWorkers() {
  return (
    <Empty icon="workers" title="No worker is up" command="windlass worker">
      <p>Jobs wait safely until one comes. Start as many as you like, on any machine:</p>
    </Empty>
  );
}

function byNode(workers: readonly Worker[]): [string, Worker[]][] {
  const nodes = new Map<string, Worker[]>();
  for (const worker of workers) {
    nodes.set(worker.node, [...(nodes.get(worker.node) ?? []), worker]);
  }
  return [...nodes].toSorted(([, [a]], [, [b]]) => at(a) - at(b));
}

function at(worker: Worker | undefined): number {
  return worker ? new Date(worker.started_at).getTime() : 0;
}
