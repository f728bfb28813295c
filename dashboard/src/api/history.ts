/** How things went lately, step by step, and what failed. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api } from "./client";

export const WINDOWS = ["5m", "15m", "1h", "6h", "1d", "7d"] as const;
export type Window = (typeof WINDOWS)[number];

// The server writes a point every five seconds; those of long windows are further apart.
const FRESH: Record<Window, number> = {
  "5m": 5_000,
  "15m": 5_000,
  "1h": 15_000,
  "6h": 60_000,
  "1d": 60_000,
  "7d": 300_000,
};

export const history = {
  series: (window: Window) =>
    queryOptions({
      queryKey: ["history", window] as const,
      queryFn: ({ signal }) => api.get("/history", { query: { window }, signal }),
      refetchInterval: FRESH[window],
      placeholderData: keepPreviousData,
    }),
  failures: (window: "1h" | "1d" | "7d") =>
    queryOptions({
      queryKey: ["failures", window] as const,
      queryFn: ({ signal }) => api.get("/failures", { query: { window }, signal }),
      refetchInterval: 30_000,
      placeholderData: keepPreviousData,
    }),
};
