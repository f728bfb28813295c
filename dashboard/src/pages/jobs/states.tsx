/** The states as tabs; their counts come by themselves, and nobody waits for them. */
import { useQuery } from "@tanstack/react-query";
import { stats } from "~/api/stats";
import type { Counts, State } from "~/api/shapes";
import { classes } from "~/components/classes";
import { Number } from "~/components/number";
import { LOOKS, STATES } from "~/components/state";
import { Tabs } from "~/components/tabs";

interface StateTabsProps {
  status: State | undefined;
  /** Whether a query narrows the list: then the counts of all would mislead. */
  narrowed: boolean;
  onChange: (status: State | undefined) => void;
}

export function StateTabs({ status, narrowed, onChange }: StateTabsProps) {
  const { data } = useQuery(stats.counts);
  const counts = narrowed ? undefined : data;
  const tabs = [undefined, ...STATES].map((state) => ({
    key: state ?? "all",
    title: <Title state={state} counts={counts} active={state === status} />,
  }));
  return (
    <Tabs
      label="State"
      tabs={tabs}
      active={status ?? "all"}
      onChange={(key) => onChange(key === "all" ? undefined : (key as State))}
    />
  );
}

interface TitleProps {
  state: State | undefined;
  counts: Counts | undefined;
  active: boolean;
}

function Title({ state, counts, active }: TitleProps) {
  const count = counts && totalOf(counts, state);
  const bad = state === "failed" && (count ?? 0) > 0;
  return (
    <>
      {state ? LOOKS[state].label : "All"}
      {count !== undefined && (
        <span
          data-count={state ?? "all"}
          className={classes(
            "rounded-full px-1.5 text-xs leading-5 font-normal",
            bad
              ? "bg-failed-soft text-failed"
              : active
                ? "bg-accent-soft text-accent-text"
                : "bg-pending-soft text-pending",
          )}
        >
          <Number value={count} />
        </span>
      )}
    </>
  );
}

export function totalOf(counts: Counts, state: State | undefined): number {
  if (state) return counts[state] ?? 0;
  return STATES.reduce((sum, one) => sum + (counts[one] ?? 0), 0);
}
