/** Dead letters of one type that failed in the same way. */
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { startBulk } from "~/api/bulk";
import type { Group } from "~/api/shapes";
import { useMay } from "~/api/session";
import { Button, buttonLook } from "~/components/button";
import { Confirm } from "~/components/confirm";
import { Icon } from "~/components/icon";
import { Time } from "~/components/time";
import { count, number } from "~/components/words";
import { Replay } from "./replay";

interface GroupProps {
  group: Group;
  onBulk: (id: string) => void;
}

export function GroupPanel({ group, onBulk }: GroupProps) {
  return (
    <section
      aria-label={`${group.type}: ${firstLine(group.error)}`}
      className="rounded-lg border border-line bg-panel"
    >
      <div className="flex flex-wrap items-start gap-x-6 gap-y-3 px-4 py-3">
        <div className="min-w-0 flex-1 basis-80">
          <h2 className="flex items-baseline gap-2 text-base">
            <span className="truncate">{group.type}</span>
            <span className="shrink-0 rounded-full bg-failed-soft px-2 text-xs leading-5 font-medium text-failed">
              {number(group.count)}
            </span>
          </h2>
          <p className="mt-1 line-clamp-3 font-mono text-xs leading-5 wrap-anywhere text-failed">
            {group.error ?? "No error was told"}
          </p>
          <p className="mt-1.5 text-xs text-faint">
            {group.queues.length === 1 ? "queue" : "queues"} {group.queues.join(", ")} · first{" "}
            <Time at={group.first_at} /> · last <Time at={group.last_at} />
          </p>
        </div>
        <Actions group={group} onBulk={onBulk} />
      </div>
    </section>
  );
}

function Actions({ group, onBulk }: GroupProps) {
  const may = useMay("jobs:write");
  const [asking, setAsking] = useState<"replay" | "delete">();
  const close = () => setAsking(undefined);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Link to="/jobs" search={{ q: group.q }} className={buttonLook("plain", true)}>
        <Icon name="jobs" />
        See them
      </Link>
      {may && (
        <>
          <Link to="/submit" search={{ from: group.sample }} className={buttonLook("plain", true)}>
            <Icon name="edit" />
            Edit and replay one
          </Link>
          <Button small icon="retrying" onClick={() => setAsking("replay")}>
            Replay all
          </Button>
          <Button
            small
            kind="danger"
            icon="remove"
            aria-label={`Delete ${count(group.count, "dead letter")} of ${group.type}`}
            onClick={() => setAsking("delete")}
          />
        </>
      )}
      <Replay open={asking === "replay"} group={group} onClose={close} onBulk={onBulk} />
      <Confirm
        open={asking === "delete"}
        onClose={close}
        title={`Delete ${count(group.count, "dead letter")}?`}
        verb={`Delete ${count(group.count, "job")}`}
        act={() => startBulk("delete", group.q).then(onBulk)}
      >
        <p>Their payloads and errors are gone for good. Nobody can replay them afterwards.</p>
      </Confirm>
    </div>
  );
}

function firstLine(text: string | null): string {
  return text?.split("\n", 1)[0] ?? "no error was told";
}
