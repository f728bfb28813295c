/** Jobs: lists, single ones, and all that belongs to one. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, type Asked } from "./client";

export type JobFilter = Omit<NonNullable<Asked<"/jobs", "get">["query"]>, "before" | "limit">;

const PAGE = 100;

export const jobs = {
  all: ["jobs"] as const,
  list: (filter: JobFilter) =>
    infiniteQueryOptions({
      queryKey: ["jobs", filter] as const,
      initialPageParam: undefined as string | undefined,
      queryFn: ({ pageParam, signal }) => {
        const query = { ...filter, limit: PAGE, ...(pageParam && { before: pageParam }) };
        return api.page("/jobs", { query, signal });
      },
      getNextPageParam: (page) => page.next,
    }),
  one: (id: string) =>
    queryOptions({
      queryKey: ["job", id] as const,
      queryFn: ({ signal }) => api.get("/jobs/{job_id}", { path: { job_id: id }, signal }),
    }),
  explain: (id: string) =>
    queryOptions({
      queryKey: ["job", id, "explain"] as const,
      queryFn: ({ signal }) => api.get("/jobs/{job_id}/explain", { path: { job_id: id }, signal }),
    }),
  attempts: (id: string) =>
    queryOptions({
      queryKey: ["job", id, "attempts"] as const,
      queryFn: ({ signal }) => api.get("/jobs/{job_id}/attempts", { path: { job_id: id }, signal }),
    }),
  logs: (id: string) =>
    queryOptions({
      queryKey: ["job", id, "logs"] as const,
      queryFn: ({ signal }) => api.get("/jobs/{job_id}/logs", { path: { job_id: id }, signal }),
    }),
  progress: (id: string) =>
    queryOptions({
      queryKey: ["job", id, "progress"] as const,
      queryFn: ({ signal }) => api.get("/jobs/{job_id}/progress", { path: { job_id: id }, signal }),
    }),
};
