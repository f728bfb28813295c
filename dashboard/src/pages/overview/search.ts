/** How far back the overview looks. */
import { WINDOWS, type Window } from "~/api/history";

export interface OverviewSearch {
  window?: Window | undefined;
}

export function overviewSearch(said: Record<string, unknown>): OverviewSearch {
  return { window: WINDOWS.find((window) => window === said["window"]) };
}
