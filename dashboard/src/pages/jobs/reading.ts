/** The roll of a query, live, and held still while one reads. */
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import type { Job } from "~/api/shapes";
import { isLive } from "~/components/state";
import { useFlow, useNews, useWatch } from "~/live/live";
import { rollOf, type Hint, type Roll, type Rolled, type Wanted } from "./roll";

const POLL_MS = 5_000;
// A stream is opened anew for other jobs: only once the list has come to rest.
const REST_MS = 700;
const MOST_WATCHED = 60;
const NONE: readonly string[] = [];

export interface Reading extends Rolled {
  roll: Roll;
  /** Told by the table which rows are in sight. */
  seen: (first: number, last: number) => void;
}

export function useReading({ status, q }: Wanted, held: boolean): Reading {
  const roll = useMemo(() => rollOf({ status, q }), [status, q]);
  const rolled = useSyncExternalStore(roll.listen, roll.snapshot);
  const [sight, setSight] = useState<readonly [number, number]>([0, 0]);
  const flow = useFlow();

  useEffect(() => roll.hold(held), [roll, held]);
  useNews("jobs", (hint) => roll.hint(hint as Hint));
  useNews("job", (job) => roll.patch(job as Job));
  useEffect(() => {
    if (flow !== "polling") return;
    const timer = setInterval(roll.refresh, POLL_MS);
    return () => clearInterval(timer);
  }, [roll, flow]);
  useWatch(useRested(held ? sight : undefined, rolled.rows));

  const seen = useCallback((first: number, last: number) => setSight([first, last]), []);
  return { ...rolled, roll, seen };
}

/** Which jobs in sight can still change, once one has stopped scrolling. */
function useRested(
  sight: readonly [number, number] | undefined,
  rows: readonly Job[],
): readonly string[] {
  const [watched, setWatched] = useState(NONE);
  const ids = sight
    ? rows
        .slice(...sight)
        .filter((job) => isLive(job.status))
        .slice(0, MOST_WATCHED)
        .map((job) => job.id)
        .join()
    : "";
  useEffect(() => {
    const timer = setTimeout(() => setWatched(ids ? ids.split(",") : NONE), REST_MS);
    return () => clearTimeout(timer);
  }, [ids]);
  return watched;
}
