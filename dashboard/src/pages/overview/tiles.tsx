/** How many jobs there are in each state, how long the first one waits, and who has room. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { fleet } from "~/api/fleet";
import type { State } from "~/api/shapes";
import { stats } from "~/api/stats";
import { classes } from "~/components/classes";
import { Icon } from "~/components/icon";
import { Meter } from "~/components/meter";
import { Number } from "~/components/number";
import { Skeleton } from "~/components/skeleton";
import { LOOKS, STATES } from "~/components/state";
import { about, span } from "~/components/words";

export function Tiles() {
  return (
    <section
      aria-label="Jobs now"
      className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-4 xl:grid-cols-8"
    >
      {STATES.map((state) => (
        <Count key={state} state={state} />
      ))}
      <Oldest />
      <Slots />
    </section>
  );
}

const TILE = "flex min-w-0 flex-col gap-1 bg-panel px-4 py-3";
const FIGURE = "text-2xl font-semibold tracking-tight";

function Count({ state }: { state: State }) {
  const { data } = useQuery(stats.counts);
  const look = LOOKS[state];
  return (
    <Link to="/jobs" search={{ status: state }} className={classes(TILE, "hover:bg-hover")}>
      <span className={classes("flex items-center gap-1.5 text-xs font-medium", look.text)}>
        <Icon name={look.icon} className="size-3 shrink-0" />
        {look.label}
      </span>
      <span className={FIGURE}>
        {data ? <Number value={data[state] ?? 0} /> : <Skeleton className="h-8 w-16" />}
      </span>
    </Link>
  );
}

function Tile({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={TILE}>
      <span className="text-xs font-medium text-faint">{label}</span>
      {children}
    </div>
  );
}

function Oldest() {
  const { data } = useQuery(fleet.queues);
  const ages = (data ?? []).map((queue) => queue.oldest_age ?? 0);
  const oldest = Math.max(0, ...ages);
  return (
    <Tile label="Oldest waiting">
      <span className={FIGURE}>
        {oldest >= 1 ? (
          <span title={span(oldest)}>{about(oldest)}</span>
        ) : (
          <Soon waiting={oldest > 0} />
        )}
      </span>
    </Tile>
  );
}

function Soon({ waiting }: { waiting: boolean }) {
  return <span className="text-faint">{waiting ? "< 1 s" : "–"}</span>;
}

function Slots() {
  const { data } = useQuery(fleet.workers);
  const alive = (data ?? []).filter((worker) => worker.alive);
  const slots = alive.reduce((sum, worker) => sum + worker.slots, 0);
  const used = alive.reduce((sum, worker) => sum + worker.slots_in_use, 0);
  return (
    <Tile label="Slots in use">
      <span className={FIGURE}>
        <Number value={used} />
        <span className="text-base font-normal text-faint"> of {slots}</span>
      </span>
      <Meter
        label="Slots in use"
        value={used}
        most={slots}
        tone={used < slots ? "accent" : "warning"}
      />
    </Tile>
  );
}
