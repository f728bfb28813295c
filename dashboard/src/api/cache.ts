/** What was asked already, for all pages; the live stream keeps it fresh. */
import { QueryClient } from "@tanstack/react-query";
import { Problem } from "./problem";

const MOST_TRIES = 2;

export const cache = new QueryClient({
  defaultOptions: {
    queries: {
      // The server may be on this very machine: without a network, too, it can be asked.
      networkMode: "always",
      staleTime: 5_000,
      refetchOnWindowFocus: true,
      retry: (tries, error) => tries < MOST_TRIES && error instanceof Problem && error.passing,
    },
    mutations: { networkMode: "always" },
  },
});
