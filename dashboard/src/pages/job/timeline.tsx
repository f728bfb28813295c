/** The course of a job as a picture: how long it waited, ran and paused, and how attempts ended. */
import { useState } from "react";
import type { Attempt, Job } from "~/api/shapes";
import { Button } from "~/components/button";
import { classes } from "~/components/classes";
import { useNow } from "~/components/clock";
import { Copy } from "~/components/copy";
import { Icon, type IconName } from "~/components/icon";
import { Panel } from "~/components/panel";
import { isLive } from "~/components/state";
import { Time } from "~/components/time";
import { clockTime, span } from "~/components/words";
import { useChoices } from "~/theme/choices";
import { courseOf, type Course, type Ending, type Go, type Kind, type Stretch } from "./course";

const SHOWN = 12;
const ID_SHOWN = 8;

interface Look {
  words: string;
  icon: IconName;
  text: string;
  bar: string;
}

const ENDINGS: Record<Ending, Look> = {
  completed: { words: "Completed", icon: "completed", text: "text-completed", bar: "bg-completed" },
  failed: { words: "Failed", icon: "failed", text: "text-failed", bar: "bg-failed" },
  crashed: { words: "Its process died", icon: "warning", text: "text-failed", bar: "bg-failed" },
  cancelled: { words: "Cancelled", icon: "cancelled", text: "text-cancelled", bar: "bg-cancelled" },
  snoozed: {
    words: "Asked for more time",
    icon: "clock",
    text: "text-scheduled",
    bar: "bg-scheduled",
  },
  "handed back": {
    words: "Handed back by a worker that stopped",
    icon: "retrying",
    text: "text-soft",
    bar: "bg-pending",
  },
  running: { words: "Running", icon: "running", text: "text-running", bar: "bg-running" },
  waiting: { words: "To come", icon: "pending", text: "text-soft", bar: "bg-pending" },
};

const PAUSES: Record<Exclude<Kind, "run">, { words: string; done: string; bar: string }> = {
  later: { words: "Scheduled", done: "scheduled for", bar: "bg-scheduled opacity-30" },
  wait: { words: "In line", done: "in line for", bar: "bg-pending opacity-25" },
  backoff: { words: "Pause before a retry", done: "paused for", bar: "bg-warning opacity-35" },
};

export function Timeline({ job, attempts }: { job: Job; attempts: readonly Attempt[] }) {
  const [all, setAll] = useState(false);
  const tick = useNow();
  const course = courseOf(job, attempts, isLive(job.status) ? tick : 0);
  const hidden = all ? 0 : Math.max(course.goes.length - SHOWN, 0);
  return (
    <Panel title="Timeline" aside={<Legend course={course} />}>
      {hidden > 0 && (
        <Button small kind="ghost" className="mb-2" onClick={() => setAll(true)}>
          Show {hidden} earlier attempts
        </Button>
      )}
      <ol className="flex flex-col gap-3">
        {course.goes.slice(hidden).map((go) => (
          <Row
            key={go.number}
            go={go}
            course={course}
            open={job.status === "failed" && go === course.goes.at(-1)}
          />
        ))}
      </ol>
      <Axis course={course} />
    </Panel>
  );
}

interface RowProps {
  go: Go;
  course: Course;
  /** Whether its traceback is unfolded. */
  open: boolean;
}

function Row({ go, course, open }: RowProps) {
  const look = ENDINGS[go.ending];
  return (
    <li>
      <div className="grid items-center gap-x-4 gap-y-1 sm:grid-cols-[9.5rem_minmax(0,1fr)]">
        <div className={classes("flex items-center gap-1.5 text-sm font-medium", look.text)}>
          <Icon
            name={look.icon}
            className={classes("size-3.5 shrink-0", go.ending === "running" && "animate-spin")}
          />
          Attempt {go.number}
        </div>
        <div aria-hidden="true" className="relative h-5 overflow-hidden rounded bg-sunken">
          {go.stretches.map((stretch) => (
            <Bar key={stretch.kind} stretch={stretch} go={go} course={course} />
          ))}
          {go.ending === "waiting" && <Now course={course} />}
        </div>
        <div className="text-xs text-soft sm:col-start-2">
          <span className={look.text}>{look.words}</span>
          {go.stretches.map((stretch) => (
            <span key={stretch.kind}>
              {" · "}
              {told(stretch, go.ending)}
            </span>
          ))}
          {go.worker && (
            <>
              {" · "}
              <span className="font-mono text-faint" title={go.worker}>
                {go.worker.slice(0, ID_SHOWN)}
              </span>
            </>
          )}
        </div>
        {go.attempt?.error && (
          <div className="min-w-0 sm:col-start-2">
            <Wrong attempt={go.attempt} open={open} />
          </div>
        )}
      </div>
    </li>
  );
}

function Bar({ stretch, go, course }: { stretch: Stretch; go: Go; course: Course }) {
  const whole = Math.max(course.to - course.from, 1);
  const left = (stretch.from - course.from) / whole;
  const width = (stretch.to - stretch.from) / whole;
  const run = stretch.kind === "run";
  return (
    <span
      title={told(stretch, go.ending)}
      data-kind={stretch.kind}
      className={classes(
        "absolute inset-y-0.5",
        run ? "min-w-[3px] rounded-sm" : "rounded-none",
        run ? ENDINGS[go.ending].bar : PAUSES[stretch.kind as Exclude<Kind, "run">].bar,
        run &&
          go.ending === "crashed" &&
          "bg-[repeating-linear-gradient(45deg,transparent_0_3px,var(--panel)_3px_5px)]",
      )}
      style={{
        left: `min(${(left * 100).toFixed(3)}%, calc(100% - 3px))`,
        width: `${(width * 100).toFixed(3)}%`,
      }}
    />
  );
}

/** Where we are, on the way to what is to come. */
function Now({ course: { from, to } }: { course: Course }) {
  const now = useNow();
  if (now >= to) return null;
  const left = Math.max((now - from) / Math.max(to - from, 1), 0);
  return (
    <span
      title="Now"
      className="absolute inset-y-0 w-0.5 bg-accent"
      style={{ left: `${(left * 100).toFixed(3)}%` }}
    />
  );
}

function told({ kind, from, to }: Stretch, ending: Ending): string {
  const long = span(rounded((to - from) / 1000));
  if (kind === "run") return ending === "running" ? `for ${long}` : `ran for ${long}`;
  return `${PAUSES[kind].done} ${long}`;
}

function rounded(seconds: number): number {
  return seconds > 60 ? Math.round(seconds) : seconds;
}

function Wrong({ attempt, open }: { attempt: Attempt; open: boolean }) {
  const { error, trace } = attempt;
  if (!trace) return <p className="text-sm text-failed wrap-anywhere">{error}</p>;
  return (
    <details className="group/trace" open={open}>
      <summary className="flex items-start gap-1 rounded text-sm text-failed wrap-anywhere marker:content-none">
        <Icon name="right" className="mt-1 size-3 shrink-0 text-faint group-open/trace:rotate-90" />
        <span className="line-clamp-5 min-w-0">{error}</span>
      </summary>
      <div className="mt-1.5 flex items-start gap-1 rounded-md border border-line bg-sunken pr-1 pl-3">
        <pre
          className="min-w-0 flex-1 overflow-x-auto py-2 font-mono text-xs leading-5 text-soft"
          tabIndex={0}
        >
          {trace}
        </pre>
        <div className="py-1">
          <Copy text={trace} label="Copy the traceback" />
        </div>
      </div>
    </details>
  );
}

/** When it began and ended, below the bars. */
function Axis({ course: { from, to } }: { course: Course }) {
  const { zone } = useChoices();
  return (
    <div className="mt-2 grid gap-x-4 text-xs text-faint sm:grid-cols-[9.5rem_minmax(0,1fr)]">
      <div className="flex justify-between border-t border-line pt-1 sm:col-start-2">
        <span title="Created">{clockTime(from, zone)}</span>
        <span>{span(rounded((to - from) / 1000))}</span>
        <span>
          <Time at={to} />
        </span>
      </div>
    </div>
  );
}

function Legend({ course }: { course: Course }) {
  const kinds = new Set(course.goes.flatMap((go) => go.stretches.map((one) => one.kind)));
  return (
    <ul className="flex flex-wrap justify-end gap-x-3 text-xs text-soft max-sm:hidden">
      {(["later", "wait", "backoff"] as const)
        .filter((kind) => kinds.has(kind))
        .map((kind) => (
          <li key={kind} className="flex items-center gap-1.5">
            <span
              aria-hidden="true"
              className={classes("h-2.5 w-4 rounded-xs", PAUSES[kind].bar)}
            />
            {PAUSES[kind].words}
          </li>
        ))}
    </ul>
  );
}
