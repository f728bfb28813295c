/** What was asked already, for all pages; the live stream keeps it fresh. */
import { QueryClient } from "@tanstack/react-query";
import { Problem } from "./problem";

const MOST_TRIES = 2;

export const cache = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      refetchOnWindowFocus: true,
      retry: (tries, error) => tries < MOST_TRIES && error instanceof Problem && error.passing,
    },
  },
});
