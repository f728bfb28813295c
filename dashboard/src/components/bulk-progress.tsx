/** How far an action on many jobs is, until it has been read; it goes on without being watched. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Action, Bulk } from "~/api/bulk";
import { api } from "~/api/client";
import { jobs } from "~/api/jobs";
import type { Job } from "~/api/shapes";
import { useWatch } from "~/live/live";
import { Button } from "./button";
import { Meter } from "./meter";
import { isLive } from "./state";
import { sayProblem } from "./toast";
import { number } from "./words";

const DOING: Record<Action, string> = {
  retry: "Retrying",
  cancel: "Cancelling",
  delete: "Deleting",
};
const DONE: Record<Action, string> = {
  retry: "Retried",
  cancel: "Cancelled",
  delete: "Deleted",
};

interface BulkProgressProps {
  bulk: Bulk;
  onClose: () => void;
}

export function BulkProgress({ bulk: { id, action }, onClose }: BulkProgressProps) {
  useWatch([id]);
  const { data: job } = useQuery(jobs.one(id));
  const { data: progress } = useQuery(jobs.progress(id));
  const working = job === undefined || isLive(job.status);
  const fraction = working ? (progress?.fraction ?? 0) : 1;
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border border-line bg-panel px-4 py-2 text-sm"
    >
      <span className="font-medium">{working ? DOING[action] : outcome(action, job)}</span>
      <div className="min-w-24 flex-1">
        <Meter
          label={`${DOING[action]} jobs`}
          value={Math.round(fraction * 100)}
          most={100}
          text={`${Math.round(fraction * 100)} %`}
          tone={job?.status === "failed" ? "failed" : working ? "accent" : "completed"}
        />
      </div>
      {working && progress?.message && <span className="text-soft">{progress.message}</span>}
      <Link
        to="/jobs/$jobId"
        params={{ jobId: id }}
        className="text-accent-text underline-offset-2 hover:underline"
      >
        Details
      </Link>
      {working ? (
        <Stop id={id} />
      ) : (
        <Button small icon="close" aria-label="Dismiss" kind="ghost" onClick={onClose} />
      )}
    </div>
  );
}

function Stop({ id }: { id: string }) {
  const stopping = useMutation({
    mutationFn: () => api.post("/jobs/{job_id}/cancel", { path: { job_id: id } }),
    onError: sayProblem,
  });
  return (
    <Button small busy={stopping.isPending} onClick={() => stopping.mutate()}>
      Stop
    </Button>
  );
}

function outcome(action: Action, job: Job): string {
  if (job.status === "failed") return `It failed: ${job.error ?? "see its details"}`;
  const changed = (job.result as { changed?: number } | null)?.changed;
  if (changed === undefined) return job.status === "cancelled" ? "Stopped" : DONE[action];
  return `${DONE[action]} ${number(changed)} ${changed === 1 ? "job" : "jobs"}`;
}
