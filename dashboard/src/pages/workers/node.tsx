/** A node: one program on one machine, with the workers it has. */
import type { Worker } from "~/api/shapes";
import { classes } from "~/components/classes";
import { Icon } from "~/components/icon";
import { Panel } from "~/components/panel";
import { Duration, Time } from "~/components/time";
import { WorkerRow } from "./worker";

// A beat is due every few seconds: this late, something is the matter.
const LATE = 10;

export function NodePanel({ workers }: { workers: readonly Worker[] }) {
  const [first] = workers;
  if (!first) return null;
  return (
    <Panel title={`${first.host} · ${first.pid}`} aside={<About worker={first} />} flush>
      <ul className="divide-y divide-line">
        {workers.map((worker) => (
          <WorkerRow key={worker.id} worker={worker} />
        ))}
      </ul>
    </Panel>
  );
}

function About({ worker }: { worker: Worker }) {
  const { alive, heartbeat_age, heartbeat_at, started_at, version } = worker;
  const late = alive && heartbeat_age > LATE;
  return (
    <div className="flex flex-wrap items-center justify-end gap-x-3 text-xs text-soft">
      <span className="max-sm:hidden">version {version}</span>
      <span className="max-sm:hidden">
        up for <Duration seconds={null} since={started_at} />
      </span>
      <span
        className={classes(
          "inline-flex items-center gap-1",
          late && "text-warning",
          !alive && "text-failed",
        )}
      >
        <Icon name={alive ? "overview" : "failed"} className="size-3.5" />
        {alive ? "beat" : "lost, last beat"} <Time at={heartbeat_at} />
      </span>
    </div>
  );
}
