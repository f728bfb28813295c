/** Whether the news flows: at once, every few seconds, not yet, or not at all. */
import { useAway } from "~/api/reach";
import { classes } from "~/components/classes";
import { useFlow } from "~/live/live";
import type { Flow } from "~/live/stream";

const PULSES: Record<Flow | "away", { words: string; hint: string; dot: string }> = {
  live: { words: "Live", hint: "What changes shows at once", dot: "bg-completed" },
  polling: {
    words: "Every 5 s",
    hint: "The stream of news cannot be had; the server is asked every 5 s",
    dot: "bg-warning",
  },
  paused: { words: "Connecting", hint: "Waiting for the server", dot: "bg-line-strong" },
  away: { words: "No answer", hint: "The server does not answer", dot: "bg-failed" },
};

export function Pulse() {
  const flow = useFlow();
  const { words, hint, dot } = PULSES[useAway() === undefined ? flow : "away"];
  return (
    <span role="status" title={hint} className="flex items-center gap-1.5 px-2 text-xs text-faint">
      <span aria-hidden="true" className={classes("size-2 rounded-full", dot)} />
      {words}
    </span>
  );
}
