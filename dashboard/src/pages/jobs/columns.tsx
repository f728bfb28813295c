/** What is told of a job in a list, from left to right; and on a phone, in two lines. */
import type { Job } from "~/api/shapes";
import type { Column } from "~/components/grid";
import { StateBadge } from "~/components/state-badge";
import { isLive, standing } from "~/components/state";
import { Duration, Time } from "~/components/time";
import { summary } from "./summary";

export const WIDE: readonly Column<Job>[] = [
  {
    key: "state",
    title: "State",
    track: "6.75rem",
    cell: (job) => (
      <div className="flex">
        <StateBadge state={standing(job)} />
      </div>
    ),
  },
  { key: "job", title: "Job", track: "minmax(0, 3fr)", cell: (job) => <Name job={job} /> },
  {
    key: "queue",
    title: "Queue",
    track: "minmax(0, 8rem)",
    from: 640,
    cell: (job) => (
      <span title={job.queue} className="text-soft">
        {job.queue}
      </span>
    ),
  },
  {
    key: "error",
    title: "What happened",
    track: "minmax(0, 2.5fr)",
    from: 900,
    cell: (job) => <Happened job={job} />,
  },
  {
    key: "attempts",
    title: "Attempts",
    track: "4.5rem",
    from: 820,
    end: true,
    cell: (job) => <Attempts job={job} />,
  },
  {
    key: "took",
    title: "Ran for",
    track: "5rem",
    from: 720,
    end: true,
    cell: (job) => <Took job={job} />,
  },
  {
    key: "created",
    title: "Created",
    track: "5.5rem",
    end: true,
    cell: (job) => (
      <span className="text-soft">
        <Time at={job.created_at} />
      </span>
    ),
  },
];

export const NARROW: readonly Column<Job>[] = [
  {
    key: "job",
    title: "Job",
    track: "minmax(0, 1fr)",
    cell: (job) => (
      <div className="flex flex-col gap-0.5">
        <div className="flex items-center gap-2">
          <span className="truncate font-medium">{job.type}</span>
          <span className="ml-auto text-xs text-soft">
            <Time at={job.created_at} />
          </span>
        </div>
        <div className="flex items-center gap-2 text-xs text-faint">
          <StateBadge state={standing(job)} quiet />
          <span className="min-w-0 truncate">{job.name ?? summary(job.payload)}</span>
        </div>
      </div>
    ),
  },
];

function Name({ job }: { job: Job }) {
  return (
    <>
      <span className="font-medium">{job.type}</span>
      {job.name && <span className="pl-2">{job.name}</span>}
      <span className="pl-2 font-mono text-xs text-faint">{summary(job.payload)}</span>
    </>
  );
}

function Happened({ job }: { job: Job }) {
  if (job.cancel_requested && isLive(job.status)) return <span>Asked to stop</span>;
  if (job.error && job.status !== "completed") {
    return (
      <span title={job.error} className={job.status === "failed" ? "text-failed" : "text-warning"}>
        {job.error.split("\n", 1)[0]}
      </span>
    );
  }
  if (job.status === "scheduled") {
    return (
      <span className="text-soft">
        Due <Time at={job.scheduled_at} />
      </span>
    );
  }
  if (job.status !== "completed" || job.result === null) return null;
  return <span className="font-mono text-xs text-faint">{summary(job.result)}</span>;
}

function Attempts({ job }: { job: Job }) {
  // The one that runs is counted once it has ended.
  const attempts = job.attempts + (job.status === "running" ? 1 : 0);
  if (attempts === 0) return <span className="text-faint">–</span>;
  return (
    <span className={job.failures + job.crashes > 0 ? "text-warning" : "text-soft"}>
      {attempts}/{job.max_attempts}
    </span>
  );
}

function Took({ job }: { job: Job }) {
  const since = job.status === "running" ? job.started_at : null;
  return (
    <span className="text-soft">
      <Duration seconds={since ? null : job.execution_time} since={since} />
    </span>
  );
}
