/** What is told of a queue, from left to right. */
import type { Queue } from "~/api/shapes";
import { classes } from "~/components/classes";
import type { Column } from "~/components/grid";
import { Icon } from "~/components/icon";
import { Meter } from "~/components/meter";
import { Number } from "~/components/number";
import { Duration, Time } from "~/components/time";
import { compact, count, percent, rate } from "~/components/words";
import { Pausing } from "./pausing";

// The API counts no further, so that counting never slows the queue.
const COUNTED = 10_000;
const BUSY = 0.9;

export const COLUMNS: readonly Column<Queue>[] = [
  { key: "name", title: "Queue", track: "minmax(8rem, 4fr)", cell: (queue) => <Name {...queue} /> },
  {
    key: "pending",
    title: "Waiting",
    track: "4.5rem",
    end: true,
    cell: ({ pending }) =>
      pending >= COUNTED ? `${compact(pending)}+` : <Number value={pending} />,
  },
  {
    key: "oldest",
    title: "Oldest",
    track: "5rem",
    from: 560,
    end: true,
    cell: ({ oldest_age }) => <Duration seconds={rounded(oldest_age)} />,
  },
  {
    key: "running",
    title: "Running",
    track: "4rem",
    from: 640,
    end: true,
    cell: ({ running }) => <Number value={running} />,
  },
  {
    key: "scheduled",
    title: "Later",
    track: "4rem",
    from: 720,
    end: true,
    cell: ({ scheduled }) => <Number value={scheduled} />,
  },
  {
    key: "in",
    title: "In",
    track: "5rem",
    from: 860,
    end: true,
    cell: ({ rate_in }) => <Rate value={rate_in} />,
  },
  {
    key: "out",
    title: "Out",
    track: "5rem",
    from: 860,
    end: true,
    cell: ({ rate_out }) => <Rate value={rate_out} />,
  },
  {
    key: "drain",
    title: "Empty in",
    track: "5.5rem",
    from: 960,
    end: true,
    cell: (queue) => <Drain {...queue} />,
  },
  {
    key: "saturation",
    title: <span className="pl-4">Slots in use</span>,
    track: "minmax(8rem, 1fr)",
    from: 760,
    cell: (queue) => <Saturation {...queue} />,
  },
  {
    key: "act",
    title: <span className="sr-only">Actions</span>,
    track: "var(--act)",
    end: true,
    cell: (queue) => <Pausing {...queue} />,
  },
];

function Name({ name, paused, paused_at, paused_by, pending, workers }: Queue) {
  return (
    <div className="min-w-0">
      <div className="truncate font-medium" title={name}>
        {name}
      </div>
      <div
        className={classes("truncate text-xs", paused || !workers ? "text-warning" : "text-faint")}
      >
        {paused ? (
          <>
            <Icon name="pause" className="mr-1 inline size-3" />
            Paused <Time at={paused_at} />
            {paused_by && ` by ${paused_by}`}
          </>
        ) : (
          servedBy(workers, pending)
        )}
      </div>
    </div>
  );
}

function servedBy(workers: number, pending: number): string {
  if (workers > 0) return `Served by ${count(workers, "worker")}`;
  return pending > 0 ? "No worker serves it: nothing will start" : "No worker serves it";
}

function Rate({ value }: { value: number | null }) {
  return <span>{value === null ? <Number value={null} /> : rate(value)}</span>;
}

function Drain({ drain, pending, paused, rate_out }: Queue) {
  if (paused || rate_out === null) return <Number value={null} />;
  if (pending > 0 && drain === null) return <span className="text-soft">Not shrinking</span>;
  return <Duration seconds={pending === 0 ? null : rounded(drain)} />;
}

function Saturation({ name, saturation, slots, slots_in_use }: Queue) {
  if (saturation === null) return <span className="pl-4 text-faint">–</span>;
  const text = `${slots_in_use} of ${slots}`;
  return (
    <div className="flex items-center gap-2 pl-4" title={`${text} slots, ${percent(saturation)}`}>
      <Meter
        label={`Slots in use by the workers of ${name}`}
        value={slots_in_use}
        most={slots}
        text={text}
        tone={saturation >= BUSY ? "warning" : "accent"}
      />
      <span className="w-14 shrink-0 text-right text-xs text-soft">
        {slots_in_use}/{slots}
      </span>
    </div>
  );
}

/** Whole seconds, once it is more than one: tenths only flicker. */
function rounded(seconds: number | null): number | null {
  return seconds !== null && seconds > 1 ? Math.round(seconds) : seconds;
}
