/** What the address says about which jobs are shown. */
import { STATES } from "~/components/state";
import type { State } from "~/api/shapes";
import { apart } from "./words";

export interface JobsSearch {
  status?: State | undefined;
  q?: string | undefined;
  /** The bulk action whose progress is shown. */
  bulk?: string | undefined;
}

export function jobsSearch(said: Record<string, unknown>): JobsSearch {
  const status = STATES.find((state) => state === said["status"]);
  // The router reads a bare number as one.
  const q = apart(String(said["q"] ?? ""), status);
  // What is not said here, the router would keep as it came.
  return { status: undefined, q: undefined, ...q, bulk: text(said["bulk"]) };
}

function text(said: unknown): string | undefined {
  return typeof said === "string" && said !== "" ? said : undefined;
}
