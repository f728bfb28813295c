/** How far a bulk action has come: it is a job itself, and goes on when one leaves. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import type { Action } from "~/api/bulk";
import { jobs } from "~/api/jobs";
import { useMay } from "~/api/session";
import type { Job, Progress } from "~/api/shapes";
import { Button, buttonLook } from "~/components/button";
import { words } from "~/components/failure";
import { Meter } from "~/components/meter";
import { isLive, standing } from "~/components/state";
import { StateBadge } from "~/components/state-badge";
import { sayProblem } from "~/components/toast";
import { count, number } from "~/components/words";
import { useWatch } from "~/live/live";
import { ACTS, perform } from "./acts";

interface BulkProps {
  id: string;
  /** Said when it has ended while one looked. */
  onDone?: () => void;
  onClose: () => void;
}

const POLL_MS = 1_000;

export function BulkProgress({ id, onDone, onClose }: BulkProps) {
  const live = (job: Job | undefined) => job === undefined || isLive(job.status);
  const job = useQuery({
    ...jobs.one(id),
    refetchInterval: ({ state }) => (live(state.data) ? POLL_MS : false),
  });
  const progress = useQuery({ ...jobs.progress(id), enabled: live(job.data) });
  useWatch([id]);
  const going = live(job.data);
  const went = useRef(false);
  useEffect(() => {
    if (went.current && !going) onDone?.();
    went.current = job.isSuccess && going;
  }, [job.isSuccess, going, onDone]);
  return (
    <section
      aria-label="Bulk action"
      className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border border-line bg-panel px-4 py-2.5 text-sm"
    >
      {job.data && <StateBadge state={standing(job.data)} />}
      <span className="min-w-0 truncate font-medium">{job.data?.name ?? "Bulk action"}</span>
      <div className="flex min-w-40 flex-1 items-center gap-3">
        <Meter
          label="Progress"
          value={Math.round(100 * part(job.data, progress.data))}
          most={100}
          text={`${Math.round(100 * part(job.data, progress.data))} %`}
          tone={job.data?.status === "failed" ? "failed" : going ? "accent" : "completed"}
        />
      </div>
      <span role="status" className="text-soft">
        {job.isError ? words(job.error) : told(job.data, progress.data)}
      </span>
      <div className="flex gap-1">
        {job.data && going && <Stop job={job.data} />}
        <Link to="/jobs/$jobId" params={{ jobId: id }} className={buttonLook("ghost", true)}>
          Open
        </Link>
        <Button kind="ghost" small icon="close" aria-label="Close" onClick={onClose} />
      </div>
    </section>
  );
}

function Stop({ job }: { job: Job }) {
  const may = useMay("jobs:write");
  const stopping = useMutation({
    mutationFn: () => perform("cancel", job.id),
    onError: sayProblem,
  });
  if (!may) return null;
  return (
    <Button
      small
      busy={stopping.isPending}
      disabled={job.cancel_requested}
      onClick={() => stopping.mutate()}
    >
      {job.cancel_requested ? "Stopping" : "Stop"}
    </Button>
  );
}

function part(job: Job | undefined, progress: Progress | null | undefined): number {
  if (job?.status === "completed") return 1;
  return progress?.fraction ?? 0;
}

function told(job: Job | undefined, progress: Progress | null | undefined): string {
  if (job?.status === "completed") {
    const { action } = job.payload as { action: Action };
    const { matched, changed } = job.result as { matched: number; changed: number };
    const done = `${ACTS[action].done} ${count(changed, "job")}`;
    return matched > changed ? `${done} of ${number(matched)} that matched` : done;
  }
  if (job?.status === "failed") return job.error ?? "It failed";
  return progress?.message ?? (job?.status === "running" ? "Begins" : "Waits for a worker");
}
