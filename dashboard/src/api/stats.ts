/** How many jobs are in each state; the live stream tells it anew whenever it changes. */
import { queryOptions } from "@tanstack/react-query";
import { api } from "./client";
import type { Counts } from "./shapes";

export const stats = {
  counts: queryOptions({
    queryKey: ["stats"],
    queryFn: ({ signal }) => api.get("/stats", { signal }) as Promise<Counts>,
  }),
};
