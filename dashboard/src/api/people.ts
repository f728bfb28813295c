/** Users and their tokens. */
import { queryOptions } from "@tanstack/react-query";
import { api } from "./client";

export const people = {
  users: queryOptions({
    queryKey: ["users"],
    queryFn: ({ signal }) => api.get("/auth/users", { signal }),
  }),
};
