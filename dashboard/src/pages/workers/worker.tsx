/** A worker: its slots as cells, what runs in them, and the way to empty it. */
import { Link } from "@tanstack/react-router";
import type { Worker } from "~/api/shapes";
import { classes } from "~/components/classes";
import { Duration } from "~/components/time";
import { count } from "~/components/words";
import { Draining } from "./draining";
import { room } from "./room";

// More cells than this would be a wall: then each stands for several slots.
const MOST_CELLS = 64;
const SHOWN_JOBS = 6;

export function WorkerRow({ worker }: { worker: Worker }) {
  return (
    <li className="grid gap-x-6 gap-y-3 px-4 py-3 md:grid-cols-[minmax(0,18rem)_minmax(0,1fr)_auto]">
      <div className="min-w-0">
        <div className="flex items-center gap-2">
          <span className="truncate font-mono text-xs">{worker.id}</span>
          <Mark worker={worker} />
        </div>
        <div className="mt-2">
          <Cells worker={worker} />
        </div>
        <p className="mt-1.5 text-xs text-soft">{room(worker)}</p>
        <p className="truncate text-xs text-faint" title={worker.queues?.join(", ")}>
          {worker.queues ? `Queues ${worker.queues.join(", ")}` : "Every queue"}
        </p>
      </div>
      <Running worker={worker} />
      <div className="flex items-start md:justify-end">
        <Draining worker={worker} />
      </div>
    </li>
  );
}

function Mark({ worker: { alive, alone, draining } }: { worker: Worker }) {
  if (!alive) return <Badge look="bg-failed-soft text-failed">Lost</Badge>;
  if (draining) return <Badge look="bg-warning-soft text-warning">Draining</Badge>;
  if (alone) return <Badge look="bg-pending-soft text-pending">Suspects only</Badge>;
  return null;
}

function Badge({ look, children }: { look: string; children: string }) {
  return (
    <span className={classes("shrink-0 rounded-full px-2 text-xs leading-5 font-medium", look)}>
      {children}
    </span>
  );
}

function Cells({ worker }: { worker: Worker }) {
  const per = Math.ceil(Math.max(worker.slots, 1) / MOST_CELLS);
  const cells = Math.ceil(worker.slots / per);
  const used = Math.ceil(worker.slots_in_use / per);
  return (
    <div
      role="img"
      aria-label={room(worker)}
      title={per > 1 ? `Each cell stands for ${per} slots` : undefined}
      className="flex flex-wrap gap-0.5"
    >
      {Array.from({ length: cells }, (_, at) => (
        <span
          key={at}
          data-meter
          className={classes("size-2.5 rounded-[3px]", at < used ? "bg-running" : "bg-line")}
        />
      ))}
    </div>
  );
}

function Running({ worker }: { worker: Worker }) {
  const { alive, running } = worker;
  if (running.length === 0) {
    return (
      <p className="self-center text-sm text-faint">
        {alive ? "Idle" : "Others run what it held, or have run it"}
      </p>
    );
  }
  return (
    <ul aria-label={`What ${worker.id} runs`} className="flex min-w-0 flex-col gap-0.5">
      {running.slice(0, SHOWN_JOBS).map((job) => (
        <li key={job.id} className="flex min-w-0 items-baseline gap-3 text-sm">
          <Link
            to="/jobs/$jobId"
            params={{ jobId: job.id }}
            className="min-w-0 truncate text-accent-text hover:underline"
          >
            {job.name ?? job.type}
          </Link>
          <span className="truncate text-xs text-faint">{job.queue}</span>
          {job.threads > 0 && (
            <span className="shrink-0 text-xs text-faint">{count(job.threads, "thread")}</span>
          )}
          <span className="ml-auto shrink-0 text-xs text-soft">
            <Duration seconds={null} since={job.started_at} />
          </span>
        </li>
      ))}
      {running.length > SHOWN_JOBS && (
        <li className="text-xs text-faint">and {running.length - SHOWN_JOBS} more</li>
      )}
    </ul>
  );
}
