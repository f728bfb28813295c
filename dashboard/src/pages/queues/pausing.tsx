/** Holds a queue back, and lets it go on. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "~/api/client";
import { fleet } from "~/api/fleet";
import { useMay } from "~/api/session";
import type { Queue } from "~/api/shapes";
import { Button } from "~/components/button";
import { say, sayProblem } from "~/components/toast";

export function Pausing({ name, paused }: Queue) {
  const may = useMay("jobs:write");
  const queries = useQueryClient();
  const turning = useMutation({
    mutationFn: () =>
      api.post(paused ? "/queues/{queue}/resume" : "/queues/{queue}/pause", {
        path: { queue: name },
      }),
    onSuccess: () => say(paused ? `${name} goes on` : `${name} is paused: what runs is finished`),
    onError: sayProblem,
    onSettled: () => queries.invalidateQueries({ queryKey: fleet.queues.queryKey }),
  });
  if (!may) return null;
  return (
    <Button
      small
      icon={paused ? "play" : "pause"}
      aria-label={`${paused ? "Resume" : "Pause"} ${name}`}
      busy={turning.isPending}
      onClick={() => turning.mutate()}
    >
      <span className="max-sm:hidden">{paused ? "Resume" : "Pause"}</span>
    </Button>
  );
}
