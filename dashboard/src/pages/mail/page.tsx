/** What the mail sink has caught: every message as it would have been delivered. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "~/api/client";
import { mail } from "~/api/mail";
import { useMay } from "~/api/session";
import type { Envelope } from "~/api/shapes";
import { Page } from "~/app/page";
import { Button } from "~/components/button";
import { classes } from "~/components/classes";
import { Empty } from "~/components/empty";
import { Failure } from "~/components/failure";
import { Skeletons } from "~/components/skeleton";
import { Time } from "~/components/time";
import { sayProblem } from "~/components/toast";
import { Message } from "./message";

// Mail comes by another way than jobs, and nobody tells of it: it is asked for.
const ASKED_EVERY = 2_000;
const FIRST_MAIL = `windlass enqueue email '{"to": "ada@example.com", "subject": "Ahoy", "body": "All hands on deck"}'`;

export function MailPage() {
  const caught = useQuery({ ...mail.all, refetchInterval: ASKED_EVERY });
  const [chosen, choose] = useState<string>();
  const envelopes = caught.data ?? [];
  const open = envelopes.find(({ id }) => id === chosen) ?? envelopes[0];
  return (
    <Page title="Mail" whole actions={envelopes.length > 0 && <Clear />}>
      {caught.isPending && <Skeletons />}
      {caught.isLoadingError && (
        <Failure error={caught.error} again={() => void caught.refetch()} />
      )}
      {caught.data && envelopes.length === 0 && <NoMail />}
      {open && (
        <div className="grid min-h-0 flex-1 gap-4 max-lg:grid-rows-[minmax(0,2fr)_minmax(0,3fr)] lg:grid-cols-[minmax(14rem,22rem)_minmax(0,1fr)]">
          <ul
            aria-label="Messages"
            className="min-h-0 divide-y divide-line overflow-y-auto rounded-lg border border-line bg-panel"
          >
            {envelopes.map((envelope) => (
              <Row
                key={envelope.id}
                envelope={envelope}
                open={envelope.id === open.id}
                onOpen={() => choose(envelope.id)}
              />
            ))}
          </ul>
          <Message key={open.id} id={open.id} />
        </div>
      )}
    </Page>
  );
}

interface RowProps {
  envelope: Envelope;
  open: boolean;
  onOpen: () => void;
}

function Row({ envelope, open, onOpen }: RowProps) {
  return (
    <li>
      <button
        type="button"
        aria-current={open}
        onClick={onOpen}
        className={classes(
          "flex w-full flex-col px-3 py-2 text-left text-sm -outline-offset-2",
          open ? "bg-accent-soft" : "hover:bg-hover",
        )}
      >
        <span className="flex w-full items-baseline gap-2">
          <span className="min-w-0 flex-1 truncate font-medium">
            {envelope.subject || "(no subject)"}
          </span>
          <span className="shrink-0 text-xs text-soft">
            <Time at={envelope.at} />
          </span>
        </span>
        <span className="w-full truncate text-xs text-soft">
          to {envelope.recipients.join(", ")}
        </span>
      </button>
    </li>
  );
}

function Clear() {
  const may = useMay("jobs:write");
  const queries = useQueryClient();
  const clearing = useMutation({
    mutationFn: () => api.delete("/mail", {}),
    onError: sayProblem,
    onSettled: () => queries.invalidateQueries({ queryKey: mail.all.queryKey }),
  });
  if (!may) return null;
  return (
    <Button icon="remove" busy={clearing.isPending} onClick={() => clearing.mutate()}>
      Empty the sink
    </Button>
  );
}

function NoMail() {
  return (
    <Empty icon="mail" title="No mail has been sent" command={FIRST_MAIL}>
      <p>Whatever jobs of the type email send is caught here, and goes nowhere else. Try it:</p>
    </Empty>
  );
}
