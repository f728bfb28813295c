/** Empties a worker before its machine goes: it finishes what it runs, and claims no more. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "~/api/client";
import { fleet } from "~/api/fleet";
import { useMay } from "~/api/session";
import type { Worker } from "~/api/shapes";
import { Button } from "~/components/button";
import { say, sayProblem } from "~/components/toast";

export function Draining({ worker: { id, alive, draining } }: { worker: Worker }) {
  const may = useMay("jobs:write");
  const queries = useQueryClient();
  const turning = useMutation({
    mutationFn: () =>
      api.post(draining ? "/workers/{worker}/resume" : "/workers/{worker}/drain", {
        path: { worker: id },
      }),
    onSuccess: () =>
      say(draining ? "It claims jobs again" : "It finishes what it runs, and claims no more"),
    onError: sayProblem,
    onSettled: () => queries.invalidateQueries({ queryKey: fleet.workers.queryKey }),
  });
  if (!may || !alive) return null;
  return (
    <Button
      small
      icon={draining ? "play" : "pause"}
      aria-label={`${draining ? "Resume" : "Drain"} ${id}`}
      busy={turning.isPending}
      onClick={() => turning.mutate()}
    >
      {draining ? "Resume" : "Drain"}
    </Button>
  );
}
