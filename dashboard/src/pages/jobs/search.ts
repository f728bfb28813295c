/** What the address says about which jobs are shown. */
import { STATES } from "~/components/state";
import type { State } from "~/api/shapes";

export interface JobsSearch {
  status?: State | undefined;
  q?: string | undefined;
}

export function jobsSearch(said: Record<string, unknown>): JobsSearch {
  // What is not said here, the router would keep as it came.
  return {
    status: STATES.find((state) => state === said["status"]),
    q: typeof said["q"] === "string" && said["q"] !== "" ? said["q"] : undefined,
  };
}
