/** How much of what serves each queue is in use. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { fleet } from "~/api/fleet";
import type { Queue } from "~/api/shapes";
import { buttonLook } from "~/components/button";
import { Icon } from "~/components/icon";
import { Meter } from "~/components/meter";
import { Panel } from "~/components/panel";
import { Skeletons } from "~/components/skeleton";
import { compact, count, percent } from "~/components/words";
import { quoted } from "../jobs/words";

const MOST = 8;
const BUSY = 0.9;

export function Saturation() {
  const { data } = useQuery(fleet.queues);
  const busiest = data && shown(data);
  const all = (
    <Link to="/queues" className={buttonLook("ghost", true)}>
      All queues
    </Link>
  );
  return (
    <Panel title="Queues" aside={all} flush>
      {!busiest && (
        <div className="p-4">
          <Skeletons rows={3} />
        </div>
      )}
      {busiest?.length === 0 && <p className="p-4 text-sm text-soft">No queue has jobs.</p>}
      <ul className="divide-y divide-line">
        {busiest?.map((queue) => (
          <Row key={queue.name} queue={queue} />
        ))}
      </ul>
    </Panel>
  );
}

/** The busiest, by name: so that they hold still while they change. */
function shown(queues: readonly Queue[]): Queue[] {
  const busiest = queues.toSorted((a, b) => weight(b) - weight(a)).slice(0, MOST);
  return busiest.toSorted((a, b) => a.name.localeCompare(b.name));
}

function weight({ pending, saturation }: Queue): number {
  return pending + (saturation ?? 0);
}

function Row({ queue }: { queue: Queue }) {
  const { name, pending, saturation, slots, slots_in_use: used } = queue;
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto_7rem] items-center gap-4 px-4 py-2 text-sm sm:grid-cols-[minmax(0,1fr)_auto_10rem]">
      <Link
        to="/jobs"
        search={{ q: `queue:${quoted(name)}` }}
        className="flex min-w-0 items-center gap-2 font-medium hover:underline"
      >
        <span className="truncate" title={name}>
          {name}
        </span>
        {queue.paused && <Icon name="pause" className="size-3.5 shrink-0 text-warning" />}
        {queue.paused && (
          <span className="text-xs font-normal text-warning max-sm:sr-only">paused</span>
        )}
      </Link>
      <span className="text-soft">{compact(pending)} waiting</span>
      {saturation === null ? (
        <span className="text-xs text-warning">no worker serves it</span>
      ) : (
        <span className="flex items-center gap-2 text-xs text-faint">
          <Meter
            label={`Slots in use for ${name}`}
            value={used}
            most={slots}
            text={`${used} of ${count(slots, "slot")}`}
            tone={saturation >= BUSY ? "warning" : "accent"}
          />
          <span className="w-10 text-right whitespace-nowrap">{percent(saturation)}</span>
        </span>
      )}
    </li>
  );
}
