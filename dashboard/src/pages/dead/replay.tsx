/** Lets a whole group run again: at once, or slowly where something behind them might break. */
import { useMutation } from "@tanstack/react-query";
import { useId, useState, type FormEvent } from "react";
import { startBulk } from "~/api/bulk";
import type { Group } from "~/api/shapes";
import { Button } from "~/components/button";
import { Dialog } from "~/components/dialog";
import { words } from "~/components/failure";
import { Input } from "~/components/field";
import { count, span } from "~/components/words";

interface ReplayProps {
  open: boolean;
  group: Group;
  onClose: () => void;
  onBulk: (id: string) => void;
}

export function Replay({ open, group, onClose, onBulk }: ReplayProps) {
  const form = useId();
  const [rate, setRate] = useState("");
  const starting = useMutation({
    mutationFn: () => startBulk("retry", group.q, rate === "" ? undefined : parseFloat(rate)),
    onSuccess: (id) => {
      onBulk(id);
      onClose();
    },
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    starting.mutate();
  };
  const foot = (
    <>
      <Button onClick={onClose}>Not now</Button>
      <Button kind="primary" type="submit" form={form} busy={starting.isPending}>
        Replay {count(group.count, "job")}
      </Button>
    </>
  );
  return (
    <Dialog open={open} onClose={onClose} title={`Replay ${group.type}`} foot={foot}>
      <form id={form} onSubmit={send} className="flex flex-col gap-3">
        <p className="text-sm text-soft">
          {count(group.count, "job")} will be tried again, with all their attempts. Those that fail
          again come back here.
        </p>
        <Input
          label="Jobs a second, at most"
          hint={hint(group.count, parseFloat(rate))}
          type="number"
          min={0.001}
          step="any"
          placeholder="as fast as possible"
          value={rate}
          onChange={(event) => setRate(event.target.value)}
        />
        {starting.isError && (
          <p role="alert" className="text-sm text-failed">
            {words(starting.error)}
          </p>
        )}
      </form>
    </Dialog>
  );
}

function hint(jobs: number, rate: number): string {
  if (!(rate > 0)) return "Be gentle with what just came back to life.";
  return `That takes about ${span(Math.ceil(jobs / rate))}.`;
}
