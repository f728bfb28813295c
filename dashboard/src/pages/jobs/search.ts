/** What the address says about which jobs are shown. */
import { STATES } from "~/components/state";
import type { State } from "~/api/shapes";

export interface JobsSearch {
  status?: State;
  q?: string;
}

export function jobsSearch(said: Record<string, unknown>): JobsSearch {
  const status = STATES.find((state) => state === said["status"]);
  return {
    ...(status && { status }),
    ...(typeof said["q"] === "string" && said["q"] !== "" && { q: said["q"] }),
  };
}
