/** One connection to the server's events: it comes back by itself, later and later. */
import { address } from "~/api/client";

/** How the news comes: at once, by asking every few seconds, or not at all for now. */
export type Flow = "live" | "polling" | "paused";

export interface News {
  event: string;
  data: unknown;
}

export const TOPICS = "counts,queues,workers,incidents,jobs";
// Besides, `job` and its kin tell of jobs that are watched.
const EVENTS = [
  "counts",
  "queues",
  "workers",
  "incidents",
  "jobs",
  "job",
  "progress",
  "changed",
  "gone",
];
const LONGEST_WAIT = 30_000;
// After so many failures in a row the news is asked for instead.
const PATIENCE = 2;

interface Ears {
  hear: (news: News) => void;
  flow: (flow: Flow) => void;
  /** Said every few seconds while the stream cannot be had. */
  poll: () => void;
}

const POLL_MS = 5_000;

/** Listen until the returned function is called. */
export function listen(jobs: readonly string[], ears: Ears): () => void {
  let source: EventSource | undefined;
  let again: ReturnType<typeof setTimeout> | undefined;
  let polling: ReturnType<typeof setInterval> | undefined;
  let failures = 0;

  const open = () => {
    source = new EventSource(
      address("/events", { query: { topics: TOPICS, jobs: jobs.join(",") } }),
    );
    source.addEventListener("open", () => {
      failures = 0;
      clearInterval(polling);
      polling = undefined;
      ears.flow("live");
    });
    source.addEventListener("error", fail);
    for (const event of EVENTS) {
      source.addEventListener(event, ({ data }: MessageEvent<string>) =>
        ears.hear({ event, data: JSON.parse(data) as unknown }),
      );
    }
  };

  const fail = () => {
    source?.close();
    failures += 1;
    if (failures >= PATIENCE && polling === undefined) {
      ears.flow("polling");
      polling = setInterval(ears.poll, POLL_MS);
    }
    again = setTimeout(open, Math.min(1_000 * 2 ** (failures - 1), LONGEST_WAIT));
  };

  open();
  return () => {
    source?.close();
    clearTimeout(again);
    clearInterval(polling);
  };
}
