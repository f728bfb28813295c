/** What the mail sink has taken; without one the API knows nothing of mail. */
import { queryOptions } from "@tanstack/react-query";
import { api } from "./client";

export const mail = {
  all: queryOptions({
    queryKey: ["mail"],
    queryFn: ({ signal }) => api.get("/mail", { signal }),
  }),
  one: (id: string) =>
    queryOptions({
      queryKey: ["mail", id] as const,
      queryFn: ({ signal }) => api.get("/mail/{mail_id}", { path: { mail_id: id }, signal }),
    }),
};
