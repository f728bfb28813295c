/** Single jobs, and all that belongs to one. Lists are in pages/jobs. */
import { queryOptions } from "@tanstack/react-query";
import { api } from "./client";

export const jobs = {
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
  links: (id: string) =>
    queryOptions({
      queryKey: ["job", id, "links"] as const,
      queryFn: ({ signal }) => api.get("/jobs/{job_id}/links", { path: { job_id: id }, signal }),
    }),
};
