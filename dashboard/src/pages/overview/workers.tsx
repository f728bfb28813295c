/** How much of each worker is in use. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { fleet } from "~/api/fleet";
import type { Worker } from "~/api/shapes";
import { buttonLook } from "~/components/button";
import { Meter } from "~/components/meter";
import { Panel } from "~/components/panel";
import { count } from "~/components/words";

const MOST = 8;

export function Workers() {
  const { data = [] } = useQuery(fleet.workers);
  const live = data.filter((worker) => worker.alive);
  const all = (
    <Link to="/workers" className={buttonLook("ghost", true)}>
      All workers
    </Link>
  );
  return (
    <Panel title="Workers" aside={all} flush>
      {live.length === 0 && <p className="p-4 text-sm text-warning">No worker is up.</p>}
      <ul className="divide-y divide-line">
        {busiest(live).map((worker) => (
          <Row key={worker.id} worker={worker} />
        ))}
      </ul>
    </Panel>
  );
}

/** The fullest, by where they are: so that they hold still while they change. */
function busiest(workers: readonly Worker[]): Worker[] {
  const fullest = workers.toSorted((a, b) => share(b) - share(a)).slice(0, MOST);
  return fullest.toSorted((a, b) => a.host.localeCompare(b.host) || a.id.localeCompare(b.id));
}

function share({ slots, slots_in_use: used }: Worker): number {
  return slots > 0 ? used / slots : 0;
}

function Row({ worker }: { worker: Worker }) {
  const { id, host, pid, slots, slots_in_use: used, draining } = worker;
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto_7rem] items-center gap-4 px-4 py-2 text-sm sm:grid-cols-[minmax(0,1fr)_auto_10rem]">
      <span className="truncate font-medium" title={id}>
        {host} · {pid}
      </span>
      <span className={draining ? "text-warning" : "text-soft"}>
        {draining ? "draining" : `${used} of ${slots}`}
      </span>
      <Meter
        label={`Slots in use of ${host}, ${id}`}
        value={used}
        most={slots}
        text={`${used} of ${count(slots, "slot")}`}
        tone={used === slots ? "warning" : "accent"}
      />
    </li>
  );
}
