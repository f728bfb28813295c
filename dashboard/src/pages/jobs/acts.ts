/** What can be done with jobs: with one, with some, and with all that match. */
import type { Action } from "~/api/bulk";
import { api } from "~/api/client";
import { Problem } from "~/api/problem";
import type { Job, State } from "~/api/shapes";
import type { IconName } from "~/components/icon";
import { count } from "~/components/words";
import { whole, type Asked } from "./words";

interface Told {
  verb: string;
  done: string;
  icon: IconName;
  danger: boolean;
  /** The states in which it can be done to a job. */
  states: readonly State[];
  /** What it means, for who is about to do it to many. */
  means: string;
}

export const ACTS: Record<Action, Told> = {
  retry: {
    verb: "Retry",
    done: "Retried",
    icon: "retrying",
    danger: false,
    states: ["failed", "cancelled"],
    means: "Failed and cancelled jobs go back in line, with all their attempts before them again.",
  },
  cancel: {
    verb: "Cancel",
    done: "Cancelled",
    icon: "cancelled",
    danger: true,
    states: ["pending", "scheduled", "running"],
    means: "Jobs that wait are cancelled at once; those that run are asked to stop.",
  },
  delete: {
    verb: "Delete",
    done: "Deleted",
    icon: "remove",
    danger: true,
    states: ["completed", "failed", "cancelled"],
    means: "Finished jobs are forgotten, with their results, errors and logs, for good.",
  },
};

export const ALL_ACTS = Object.keys(ACTS) as Action[];

export function can(act: Action, job: Pick<Job, "status">): boolean {
  return ACTS[act].states.includes(job.status);
}

/** Do it; answers with the job as it is then, unless it is gone. */
export function perform(act: Action, id: string): Promise<Job | undefined> {
  const path = { job_id: id };
  switch (act) {
    case "retry":
      return api.post("/jobs/{job_id}/retry", { path });
    case "cancel":
      return api.post("/jobs/{job_id}/cancel", { path });
    case "delete":
      return api.delete("/jobs/{job_id}", { path });
  }
}

// A browser has six connections to a server, and the live stream is one.
const AT_ONCE = 4;

/** Do it to each; what had changed meanwhile is told apart, and fails nothing. */
export async function performAll(
  act: Action,
  ids: readonly string[],
  onEach: (id: string, job: Job | undefined) => void,
): Promise<string> {
  const left = [...ids];
  let refused = 0;
  const work = async (): Promise<void> => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      try {
        onEach(id, await perform(act, id));
      } catch (error) {
        if (!(error instanceof Problem) || error.passing) throw error;
        refused += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const told = `${ACTS[act].done} ${count(ids.length - refused, "job")}`;
  return refused > 0 ? `${told}; ${refused} had changed meanwhile` : told;
}

/** The query of a bulk action: it must say which jobs it means. */
export function meant(act: Action, asked: Asked): string {
  const q = whole(asked);
  const stated = asked.status !== undefined || /(^|\s)status:/.test(q);
  return stated ? q : [`status:${ACTS[act].states.join(",")}`, q].filter(Boolean).join(" ");
}

/** Whether the query leaves anything that it could be done to. */
export function fits(act: Action, { status }: Asked): boolean {
  return status === undefined || ACTS[act].states.includes(status);
}
