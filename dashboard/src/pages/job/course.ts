/** The course of a job: from its beginning up to now, attempt by attempt. */
import type { Attempt, Job } from "~/api/shapes";

/** What a stretch of time was spent with. */
export type Kind = "later" | "wait" | "backoff" | "run";
/** How an attempt ended, or that it has not. */
export type Ending =
  | "completed"
  | "failed"
  | "crashed"
  | "cancelled"
  | "snoozed"
  | "handed back"
  | "running"
  | "waiting";

export interface Stretch {
  kind: Kind;
  from: number; // in ms since the epoch
  to: number;
}

export interface Go {
  number: number;
  stretches: readonly Stretch[];
  ending: Ending;
  /** What is told of it, if it ended otherwise than well. */
  attempt: Attempt | undefined;
  worker: string | null;
}

export interface Course {
  from: number;
  to: number;
  goes: readonly Go[];
}

const CRASHES = new Set(["crash", "crashed"]);
const AS_TOLD = new Set(["cancelled", "snoozed", "handed back"]);

export function courseOf(job: Job, attempts: readonly Attempt[], now: number): Course {
  const from = ms(job.created_at);
  let at = from;
  const goes: Go[] = [];
  for (const attempt of attempts) {
    const [began, ended] = [ms(attempt.started_at ?? attempt.finished_at), ms(attempt.finished_at)];
    const stretches = [...waited(at, began, job, goes.length), stretch("run", began, ended)];
    const number = goes.length + 1;
    goes.push({ number, stretches, ending: endingOf(attempt), attempt, worker: attempt.worker });
    at = Math.max(at, ended);
  }
  const last = lastOf(job, at, goes.length, Math.max(now, at));
  if (last) goes.push(last);
  const to = Math.max(at, ...goes.flatMap((go) => go.stretches.map((one) => one.to)));
  return { from, to, goes };
}

/** The attempt that runs, ended well, or is yet to come; those that failed are told before. */
function lastOf(job: Job, at: number, before: number, now: number): Go | undefined {
  const began = job.started_at === null ? undefined : ms(job.started_at);
  const ended = job.completed_at === null ? now : ms(job.completed_at);
  const go = { number: before + 1, attempt: undefined, worker: job.worker };
  switch (job.status) {
    case "running":
    case "completed": {
      const start = began ?? ended;
      const stretches = [...waited(at, start, job, before), stretch("run", start, ended)];
      return { ...go, stretches, ending: job.status };
    }
    case "pending":
    case "scheduled": {
      const until = Math.max(now, ms(job.scheduled_at));
      return { ...go, stretches: waited(at, until, job, before), ending: "waiting", worker: null };
    }
    case "cancelled":
      if (before > 0 && ended <= at) return undefined;
      return { ...go, stretches: waited(at, ended, job, before), ending: "cancelled" };
    case "failed":
      return undefined;
  }
}

/** Before an attempt: until it was due, and then until somebody had time for it. */
function waited(from: number, to: number, job: Job, before: number): Stretch[] {
  const due = Math.min(Math.max(ms(job.scheduled_at), from), to);
  // Only of the last one is it known when it was due.
  const known = job.started_at === null || ms(job.started_at) <= to;
  const pause: Kind = before > 0 ? "backoff" : "later";
  if (!known) return [stretch(before > 0 ? "backoff" : "wait", from, to)];
  return [stretch(pause, from, due), stretch("wait", due, to)].filter((one) => one.to > one.from);
}

function endingOf({ reason }: Attempt): Ending {
  if (CRASHES.has(reason)) return "crashed";
  return AS_TOLD.has(reason) ? (reason as Ending) : "failed";
}

function stretch(kind: Kind, from: number, to: number): Stretch {
  return { kind, from, to: Math.max(from, to) };
}

/** With what is below a millisecond, which dates leave out. */
function ms(at: string): number {
  const below = /\.\d{3}(\d+)/.exec(at)?.[1] ?? "";
  return new Date(at).getTime() + Number(`0.${below || 0}`);
}
