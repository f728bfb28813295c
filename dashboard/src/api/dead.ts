/** Dead letters: jobs that failed for good, those of one kind together. */
import { queryOptions } from "@tanstack/react-query";
import { api } from "./client";

export const dead = {
  groups: queryOptions({
    queryKey: ["dead"],
    queryFn: ({ signal }) => api.get("/dead", { signal }),
  }),
};
