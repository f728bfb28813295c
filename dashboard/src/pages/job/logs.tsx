/** What the handler logged; followed to its end while the job runs. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { jobs } from "~/api/jobs";
import type { Job, Line } from "~/api/shapes";
import { classes } from "~/components/classes";
import { Copy } from "~/components/copy";
import { Failure } from "~/components/failure";
import { Panel } from "~/components/panel";
import { isLive } from "~/components/state";
import { Skeletons } from "~/components/skeleton";
import { clockTime, spelled } from "~/components/words";
import { useChoices, type Zone } from "~/theme/choices";

const ASK_MS = 1_000;
// So close to the end, one follows it.
const NEAR_PX = 24;

const LEVELS: Record<string, string> = {
  debug: "text-faint",
  info: "text-running",
  warning: "text-warning",
  error: "text-failed",
  critical: "text-failed",
};

export function Logs({ job }: { job: Job }) {
  const running = job.status === "running";
  const logs = useQuery({ ...jobs.logs(job.id), refetchInterval: running ? ASK_MS : false });
  const lines = logs.data ?? [];
  return (
    <Panel
      title="Logs"
      flush={lines.length > 0}
      aside={
        lines.length > 0 && <Copy text={lines.map(written).join("\n")} label="Copy the logs" />
      }
    >
      {logs.isPending && <Skeletons rows={2} className="h-4 w-full" />}
      {logs.isLoadingError && <Failure error={logs.error} />}
      {logs.data && lines.length === 0 && <Silence live={isLive(job.status)} />}
      {lines.length > 0 && <Tail lines={lines} />}
    </Panel>
  );
}

function Tail({ lines }: { lines: readonly Line[] }) {
  const place = useRef<HTMLDivElement>(null);
  const [follows, setFollows] = useState(true);
  const { zone } = useChoices();
  useEffect(() => {
    if (follows && place.current) place.current.scrollTop = place.current.scrollHeight;
  }, [follows, lines.length]);
  return (
    <div
      ref={place}
      role="log"
      aria-label="Logs"
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) =>
        setFollows(scrollHeight - scrollTop - clientHeight < NEAR_PX)
      }
      className="max-h-80 overflow-auto rounded-b-lg bg-sunken py-2 font-mono text-xs leading-5 -outline-offset-2"
    >
      {lines.map((line, at) => (
        // Lines are only ever added at the end.
        // oxlint-disable-next-line react/no-array-index-key
        <Row key={at} line={line} zone={zone} />
      ))}
    </div>
  );
}

function Row({ line, zone }: { line: Line; zone: Zone }) {
  return (
    <div className="flex gap-2 px-4 sm:gap-3">
      <span className="shrink-0 text-faint">
        {line.at ? clockTime(new Date(line.at).getTime(), zone) : "--:--:--"}
      </span>
      <span className={classes("shrink-0 uppercase sm:w-14", LEVELS[line.level] ?? "text-soft")}>
        {line.level}
      </span>
      <span className="min-w-0 whitespace-pre-wrap wrap-anywhere">{spelled(line.message)}</span>
    </div>
  );
}

function Silence({ live }: { live: boolean }) {
  return (
    <p className="text-sm text-soft">
      {live ? "Nothing logged yet." : "Nothing was logged."} A handler that takes a context can:{" "}
      <code className="font-mono text-xs text-text">ctx.log("half way")</code>
    </p>
  );
}

function written({ at, level, message }: Line): string {
  return `${at ?? ""} ${level} ${message}`;
}
