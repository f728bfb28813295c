/** What is wrong now, in sentences. */
import { queryOptions } from "@tanstack/react-query";
import { api } from "./client";

export const incidents = {
  now: queryOptions({
    queryKey: ["incidents"],
    queryFn: ({ signal }) => api.get("/incidents", { signal }),
  }),
};
