/** What is selected, and what can be done with it: with some jobs, or with all that match. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { startBulk, type Action } from "~/api/bulk";
import type { Job } from "~/api/shapes";
import { Button } from "~/components/button";
import { Confirm } from "~/components/confirm";
import { say, sayProblem } from "~/components/toast";
import { count, number } from "~/components/words";
import { useKeys } from "~/keys/keys";
import { ACTS, ALL_ACTS, can, fits, meant, performAll } from "./acts";
import type { Asked } from "./words";

interface ChoiceProps {
  asked: Asked;
  chosen: readonly Job[];
  /** The row that has the focus: what keys mean while nothing is selected. */
  at: Job | undefined;
  /** How many match in all; nobody knows of a search that was not gone through. */
  total: number | undefined;
  /** Whether all that match are meant, also those that are not loaded. */
  all: boolean;
  onAll: () => void;
  onClear: () => void;
  onEach: (id: string, job: Job | undefined) => void;
  onBulk: (id: string) => void;
}

export function Choice(props: ChoiceProps) {
  const { asked, chosen, at, total, all, onAll, onClear, onEach, onBulk } = props;
  const [wanted, setWanted] = useState<Action>();
  const meaning = chosen.length > 0 ? chosen : at ? [at] : [];
  const acting = useMutation({
    mutationFn: (act: Action) => performAll(act, idsFor(act, meaning), onEach),
    onSuccess: (told) => {
      say(told);
      onClear();
    },
    onError: sayProblem,
  });
  const bulk = async (act: Action) => {
    const id = await startBulk(act, meant(act, asked));
    onClear();
    onBulk(id);
  };
  const begin = (act: Action) => {
    const few = idsFor(act, meaning);
    if (all) return setWanted(act);
    if (few.length === 0) return;
    // What can be put back at once is not asked about.
    if (few.length === 1 && act !== "delete") return acting.mutate(act);
    setWanted(act);
  };

  useKeys([
    { keys: "r", does: "Retry what is selected", act: () => begin("retry") },
    { keys: "c", does: "Cancel what is selected", act: () => begin("cancel") },
    ...(chosen.length > 0 ? [{ keys: "Escape", does: "Select nothing", act: onClear }] : []),
  ]);

  const many = all
    ? total === undefined
      ? "all jobs that match"
      : count(total, "job")
    : wanted && count(idsFor(wanted, meaning).length, "job");
  return (
    <>
      {chosen.length > 0 && (
        <div
          role="region"
          aria-label="Selection"
          className="absolute inset-x-2 bottom-3 z-20 mx-auto flex max-w-fit flex-wrap items-center justify-center gap-1.5 rounded-xl border border-line bg-raised py-1.5 pr-1.5 pl-4 text-sm shadow-raised"
        >
          <span className="pr-1 font-medium whitespace-nowrap">
            {all ? allWords(total) : `${number(chosen.length)} selected`}
          </span>
          {!all && (total === undefined || total > chosen.length) && (
            <Button kind="ghost" small onClick={onAll} className="text-accent-text!">
              {total === undefined ? "Select all that match" : `Select all ${number(total)}`}
            </Button>
          )}
          {ALL_ACTS.map((act) => (
            <Button
              key={act}
              small
              kind={ACTS[act].danger ? "danger" : "plain"}
              icon={ACTS[act].icon}
              busy={acting.isPending && acting.variables === act}
              disabled={all ? !fits(act, asked) : idsFor(act, chosen).length === 0}
              onClick={() => begin(act)}
            >
              {ACTS[act].verb}
            </Button>
          ))}
          <Button kind="ghost" small icon="close" aria-label="Select nothing" onClick={onClear} />
        </div>
      )}
      {wanted && (
        <Confirm
          open
          onClose={() => setWanted(undefined)}
          title={`${ACTS[wanted].verb} ${many}?`}
          verb={`${ACTS[wanted].verb} ${many}`}
          danger={ACTS[wanted].danger}
          act={() => (all ? bulk(wanted) : acting.mutateAsync(wanted))}
        >
          <p>{ACTS[wanted].means}</p>
          {all && (
            <p className="mt-2">
              All that match{" "}
              <code className="font-mono text-xs text-text">{meant(wanted, asked)}</code> are meant,
              also those that are not loaded. It is a job by itself: it tells how far it is, and can
              be stopped.
            </p>
          )}
        </Confirm>
      )}
    </>
  );
}

function allWords(total: number | undefined): string {
  return total === undefined ? "All that match" : `All ${number(total)} that match`;
}

function idsFor(act: Action, jobs: readonly Job[]): string[] {
  return jobs.filter((job) => can(act, job)).map((job) => job.id);
}
