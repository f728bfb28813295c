/** Queues, workers, nodes and the types of job they know. */
import { queryOptions } from "@tanstack/react-query";
import { api } from "./client";

export const fleet = {
  queues: queryOptions({
    queryKey: ["queues"],
    queryFn: ({ signal }) => api.get("/queues", { signal }),
  }),
  workers: queryOptions({
    queryKey: ["workers"],
    queryFn: ({ signal }) => api.get("/workers", { signal }),
  }),
  nodes: queryOptions({
    queryKey: ["nodes"],
    queryFn: ({ signal }) => api.get("/nodes", { signal }),
  }),
  types: queryOptions({
    queryKey: ["types"],
    queryFn: ({ signal }) => api.get("/types", { signal }),
    staleTime: 30_000,
  }),
};
