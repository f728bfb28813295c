/** Many jobs at once: a job of its own does it, and tells how far it is. */
import { api } from "./client";

export type Action = "retry" | "cancel" | "delete";

/** Begin; `rate` is jobs a second at most, for what would be too much at once. Answers with its id. */
export async function startBulk(action: Action, filter: string, rate?: number): Promise<string> {
  const { id } = await api.post("/jobs/bulk", {
    body: { action, filter, ...(rate !== undefined && { rate }) },
  });
  return id;
}
