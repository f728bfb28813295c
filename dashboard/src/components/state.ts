/** What a job's state is called and how it looks: decided here and nowhere else. */
import type { Job, State } from "~/api/shapes";
import type { IconName } from "./icon";

/** As states are, and besides one that waits for its next attempt. */
export type Standing = State | "retrying";

interface Look {
  label: string;
  icon: IconName;
  badge: string;
  text: string;
  colour: string; // as a CSS variable, for charts
}

export const LOOKS: Record<Standing, Look> = {
  pending: {
    label: "Pending",
    icon: "pending",
    badge: "bg-pending-soft text-pending",
    text: "text-pending",
    colour: "--pending",
  },
  scheduled: {
    label: "Scheduled",
    icon: "scheduled",
    badge: "bg-scheduled-soft text-scheduled",
    text: "text-scheduled",
    colour: "--scheduled",
  },
  retrying: {
    label: "Retrying",
    icon: "retrying",
    badge: "bg-warning-soft text-warning",
    text: "text-warning",
    colour: "--warning",
  },
  running: {
    label: "Running",
    icon: "running",
    badge: "bg-running-soft text-running",
    text: "text-running",
    colour: "--running",
  },
  completed: {
    label: "Completed",
    icon: "completed",
    badge: "bg-completed-soft text-completed",
    text: "text-completed",
    colour: "--completed",
  },
  failed: {
    label: "Failed",
    icon: "failed",
    badge: "bg-failed-soft text-failed",
    text: "text-failed",
    colour: "--failed",
  },
  cancelled: {
    label: "Cancelled",
    icon: "cancelled",
    badge: "bg-cancelled-soft text-cancelled",
    text: "text-cancelled",
    colour: "--cancelled",
  },
};

/** In the order in which a job goes through them. */
export const STATES: readonly State[] = [
  "pending",
  "scheduled",
  "running",
  "completed",
  "failed",
  "cancelled",
];

const LIVE: ReadonlySet<State> = new Set(["pending", "scheduled", "running"]);

export function standing(job: Pick<Job, "status" | "attempts">): Standing {
  return job.status === "scheduled" && job.attempts > 0 ? "retrying" : job.status;
}

/** Whether anything can still happen to a job. */
export function isLive(state: State): boolean {
  return LIVE.has(state);
}
