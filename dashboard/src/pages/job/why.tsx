/** Why a job is where it is, in sentences; and what can be done about it. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "~/api/client";
import { jobs } from "~/api/jobs";
import { useMay } from "~/api/session";
import type { Explanation, Job, State } from "~/api/shapes";
import { Button } from "~/components/button";
import { Failure, sentence } from "~/components/failure";
import { Icon } from "~/components/icon";
import { Panel } from "~/components/panel";
import { Skeleton } from "~/components/skeleton";
import { isLive } from "~/components/state";
import { say, sayProblem } from "~/components/toast";
import { compact, count, span } from "~/components/words";

const ASK_MS = 2_000;
const TITLES: Record<State, string> = {
  pending: "Why is it waiting?",
  scheduled: "Why is it waiting?",
  running: "What is it doing?",
  completed: "How did it end?",
  failed: "How did it end?",
  cancelled: "How did it end?",
};

export function Why({ job }: { job: Job }) {
  const why = useQuery({
    ...jobs.explain(job.id),
    refetchInterval: isLive(job.status) ? ASK_MS : false,
  });
  return (
    <Panel title={TITLES[job.status]} aside={why.data && <Resume job={job} why={why.data} />}>
      {why.isPending && <Skeleton className="h-5 w-2/3" />}
      {why.isLoadingError && <Failure error={why.error} />}
      {why.data && (
        <ul className="flex flex-col gap-1.5">
          {why.data.reasons.map((reason) => (
            <li key={reason} className="flex gap-2 wrap-anywhere">
              <Icon
                name={stuck(why.data) ? "warning" : "info"}
                className={
                  stuck(why.data)
                    ? "mt-[3px] size-4 shrink-0 text-warning"
                    : "mt-[3px] size-4 shrink-0 text-faint"
                }
              />
              <span className="line-clamp-5 min-w-0">{sentence(reason)}</span>
            </li>
          ))}
        </ul>
      )}
      {why.data && isLive(job.status) && <Figures why={why.data} />}
    </Panel>
  );
}

function Figures({ why }: { why: Explanation }) {
  const figures = [
    why.ahead !== null &&
      why.ahead > 0 && { name: "Ahead of it", value: ahead(why.ahead, why.ahead_exact) },
    why.wait !== null &&
      why.wait > 0 && { name: "Starts in about", value: span(Math.ceil(why.wait)) },
    why.status !== "running" && { name: "Could run it", value: count(able(why), "worker") },
    why.status === "pending" &&
      why.claims_per_second > 0 && {
        name: "The line moves",
        value: `${compact(why.claims_per_second)}/s`,
      },
  ].filter((one) => one !== false);
  if (figures.length === 0) return null;
  return (
    <dl className="mt-3 flex flex-wrap gap-x-8 gap-y-2 border-t border-line pt-3">
      {figures.map(({ name, value }) => (
        <div key={name}>
          <dt className="text-xs text-faint">{name}</dt>
          <dd className="text-sm font-medium">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Resume({ job, why }: { job: Job; why: Explanation }) {
  const may = useMay("jobs:write");
  const queries = useQueryClient();
  const going = useMutation({
    mutationFn: () => api.post("/queues/{queue}/resume", { path: { queue: job.queue } }),
    onSuccess: () => say(`${job.queue} goes on`),
    onError: sayProblem,
    onSettled: () => queries.invalidateQueries({ queryKey: ["job", job.id] }),
  });
  if (!may || why.paused_by === null) return null;
  return (
    <Button
      small
      icon="play"
      aria-label={`Resume ${job.queue}`}
      busy={going.isPending}
      onClick={() => going.mutate()}
    >
      Resume
    </Button>
  );
}

/** Nothing will happen before somebody does something. */
function stuck(why: Explanation): boolean {
  if (why.status !== "pending" && why.status !== "scheduled") return false;
  return why.paused_by !== null || able(why) === 0;
}

function able(why: Explanation): number {
  return Math.min(why.workers, why.workers_for_queue, why.workers_for_type);
}

function ahead(many: number, exact: boolean): string {
  return exact ? count(many, "job") : `more than ${count(many, "job")}`;
}
