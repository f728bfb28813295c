/** The roll of a query, live, and held still while one reads. */
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { Job } from "~/api/shapes";
import { isLive } from "~/components/state";
import { useFlow, useNews, useWatch } from "~/live/live";
import type { Hint, Roll, Rolled } from "./roll";

const POLL_MS = 5_000;
// A stream is opened anew for other jobs: only once the list has come to rest.
const REST_MS = 700;
const MOST_WATCHED = 60;
const NONE: readonly string[] = [];

export interface Reading extends Rolled {
  /** Told by the table which rows are in sight. */
  seen: (first: number, last: number) => void;
}

export function useReading(roll: Roll, held: boolean): Reading {
  const rolled = useSyncExternalStore(roll.listen, roll.snapshot);
  const flow = useFlow();

  useEffect(() => roll.hold(held), [roll, held]);
  useNews("jobs", (hint) => roll.hint(hint as Hint));
  useNews("job", (job) => roll.patch(job as Job));
  useEffect(() => {
    if (flow !== "polling") return;
    const timer = setInterval(roll.refresh, POLL_MS);
    return () => clearInterval(timer);
  }, [roll, flow]);

  const [watched, setWatched] = useState(NONE);
  const sight = useRef<readonly [number, number]>([0, 0]);
  const resting = useRef<ReturnType<typeof setTimeout>>(undefined);
  const rest = useCallback(() => {
    clearTimeout(resting.current);
    resting.current = setTimeout(() => {
      setWatched(liveIds(roll.snapshot().rows.slice(...sight.current)));
    }, REST_MS);
  }, [roll]);
  const seen = useCallback(
    (first: number, last: number) => {
      sight.current = [first, last];
      rest();
    },
    [rest],
  );
  useEffect(() => {
    if (held) rest();
  }, [held, rest]);
  useEffect(() => () => clearTimeout(resting.current), []);
  useWatch(held ? watched : NONE);
  return { ...rolled, seen };
}

/** Which of these can still change. */
function liveIds(rows: readonly Job[]): string[] {
  const live = rows.filter((job) => isLive(job.status));
  return live.slice(0, MOST_WATCHED).map((job) => job.id);
}
