/** Whether the news flows: at once, every few seconds, or not yet. */
import { classes } from "~/components/classes";
import { useFlow } from "~/live/live";
import type { Flow } from "~/live/stream";

const PULSES: Record<Flow, { words: string; hint: string; dot: string }> = {
  live: { words: "Live", hint: "What changes shows at once", dot: "bg-completed" },
  polling: {
    words: "Every 5 s",
    hint: "The stream of news cannot be had; the server is asked every 5 s",
    dot: "bg-warning",
  },
  paused: { words: "Connecting", hint: "Waiting for the server", dot: "bg-line-strong" },
};

export function Pulse() {
  const { words, hint, dot } = PULSES[useFlow()];
  return (
    <span role="status" title={hint} className="flex items-center gap-1.5 px-2 text-xs text-faint">
      <span aria-hidden="true" className={classes("size-2 rounded-full", dot)} />
      {words}
    </span>
  );
}
