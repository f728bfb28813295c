/** Asks before something that cannot be taken back. */
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { words } from "./failure";

interface ConfirmProps {
  open: boolean;
  onClose: () => void;
  title: string;
  /** What the button says: the verb itself, as in "Delete 12 jobs". */
  verb: string;
  children: ReactNode;
  act: () => Promise<unknown>;
  danger?: boolean;
}

export function Confirm({
  open,
  onClose,
  title,
  verb,
  children,
  act,
  danger = true,
}: ConfirmProps) {
  const acting = useMutation({ mutationFn: act, onSuccess: onClose });
  const foot = (
    <>
      <Button onClick={onClose}>Keep as it is</Button>
      <Button
        kind={danger ? "danger" : "primary"}
        busy={acting.isPending}
        onClick={() => acting.mutate()}
      >
        {verb}
      </Button>
    </>
  );
  return (
    <Dialog open={open} onClose={onClose} title={title} foot={foot}>
      <div className="text-soft">{children}</div>
      {acting.isError && (
        <p role="alert" className="mt-3 text-failed">
          {words(acting.error)}
        </p>
      )}
    </Dialog>
  );
}
