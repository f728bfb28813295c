/** Jobs: all there are, live; found by their state and by words. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useCallback, useMemo, useState } from "react";
import { fleet } from "~/api/fleet";
import { Problem } from "~/api/problem";
import { useMay } from "~/api/session";
import type { Job } from "~/api/shapes";
import { stats } from "~/api/stats";
import { Page } from "~/app/page";
import { useWide } from "~/app/wide";
import { Button, buttonLook } from "~/components/button";
import { Failure, words } from "~/components/failure";
import { Grid } from "~/components/grid";
import { Icon } from "~/components/icon";
import { count } from "~/components/words";
import { Bar } from "./bar";
import { BulkProgress } from "./bulk";
import { Choice } from "./choice";
import { NARROW, WIDE } from "./columns";
import { pathsOf, type Known } from "./completion";
import { Examples, Nothing } from "./nothing";
import { useReading, type Reading } from "./reading";
import { rollOf, type Roll } from "./roll";
import { Searched } from "./searched";
import { StateTabs, totalOf } from "./states";
import { apart, type Asked } from "./words";

const route = getRouteApi("/shell/jobs");
const NOBODY: ReadonlySet<string> = new Set();
const BAD_QUERY = 400;

export function JobsPage() {
  const { status, q, bulk } = route.useSearch();
  const go = useNavigate();
  const may = useMay("jobs:write");
  const ask = useCallback(
    (asked: Asked) => void go({ to: "/jobs", search: { ...asked, bulk } }),
    [go, bulk],
  );
  const show = useCallback(
    (id: string | undefined) => void go({ to: "/jobs", search: { status, q, bulk: id } }),
    [go, status, q],
  );
  const actions = may && (
    <Link to="/submit" className={buttonLook("primary")}>
      <Icon name="submit" />
      Submit
    </Link>
  );
  return (
    <Page title="Jobs" actions={actions} whole>
      <List asked={{ status, q }} onAsk={ask} bulk={bulk} onBulk={show} may={may} />
    </Page>
  );
}

interface ListProps {
  asked: Asked;
  onAsk: (asked: Asked) => void;
  bulk: string | undefined;
  onBulk: (id: string | undefined) => void;
  may: boolean;
}

function List({ asked, onAsk, bulk, onBulk, may }: ListProps) {
  const { status, q } = asked;
  const go = useNavigate();
  const wide = useWide();
  const roll = useMemo(() => rollOf({ status, q }), [status, q]);
  const [reader, setReader] = useState(() => begun(roll));
  if (reader.roll !== roll) setReader(begun(roll));
  const { selected, hovered, atTop, at } = reader;
  const reading = useReading(roll, hovered || !atTop || selected.size > 0 || at !== undefined);
  const { rows, error } = reading;
  const known = useKnown(rows);
  const total = useTotal(asked, reading);
  const chosen = useMemo(() => rows.filter((job) => selected.has(job.id)), [rows, selected]);
  const change = useCallback(
    (next: Partial<Reader>) => setReader((now) => (says(now, next) ? now : { ...now, ...next })),
    [],
  );
  const choose = useCallback(
    (keys: readonly string[], on: boolean) =>
      setReader((now) => ({ ...now, all: false, selected: changed(now.selected, keys, on) })),
    [],
  );
  const problem = error instanceof Problem && error.status === BAD_QUERY ? error : undefined;
  const search = (text: string) => onAsk({ status: undefined, ...apart(text, status) });
  return (
    <>
      <div className="flex flex-col gap-1">
        <Bar asked={q ?? ""} onAsk={search} known={known} problem={problem && words(problem)} />
        <StateTabs
          status={status}
          narrowed={q !== undefined}
          onChange={(state) => onAsk({ status: state, q })}
        />
      </div>
      {bulk && <BulkProgress id={bulk} onDone={roll.renew} onClose={() => onBulk(undefined)} />}
      <div
        className="relative flex min-h-0 flex-1 flex-col overflow-hidden rounded-lg border border-line bg-panel"
        onPointerEnter={({ pointerType }) => change({ hovered: pointerType === "mouse" })}
        onPointerLeave={() => change({ hovered: false })}
      >
        {error !== undefined && !problem && rows.length === 0 ? (
          <Failure error={error} again={roll.older} />
        ) : (
          <Grid
            key={`${wide} ${status} ${q}`}
            label="Jobs"
            columns={wide ? WIDE : NARROW}
            rows={rows}
            keyOf={idOf}
            total={reading.next === undefined && !reading.loading ? rows.length : undefined}
            rowHeight={wide ? 40 : 56}
            loading={reading.loading}
            onOpen={(job) => void go({ to: "/jobs/$jobId", params: { jobId: job.id } })}
            {...(reading.lookedBackTo === undefined && { onEnd: roll.older })}
            {...(may && { selected, onSelect: choose })}
            onScrolled={(top) => change({ atTop: top })}
            onSeen={reading.seen}
            onAt={(job) => change({ at: job?.id })}
            scrolledTo={roll.scrolledTo}
            empty={
              problem ? (
                <Examples title="This cannot be read" onAsk={search} />
              ) : (
                <Nothing
                  asked={asked}
                  lookedBackTo={reading.lookedBackTo}
                  onMore={roll.older}
                  onAsk={search}
                />
              )
            }
            foot={
              <>
                {reading.lookedBackTo !== undefined && (
                  <Searched
                    backTo={reading.lookedBackTo}
                    onMore={roll.older}
                    busy={reading.loading}
                  />
                )}
                {/* So that the last row can be seen above what can be done with the selection. */}
                {selected.size > 0 && <div className="h-16" />}
              </>
            }
          />
        )}
        <Fresh reading={reading} onShow={roll.show} />
        {may && (
          <Choice
            asked={asked}
            chosen={chosen}
            at={at === undefined ? undefined : rows.find((job) => job.id === at)}
            total={total}
            all={reader.all && chosen.length > 0}
            onAll={() => change({ all: true })}
            onClear={() => change({ selected: NOBODY, all: false })}
            onEach={(id, job) => (job ? roll.patch(job) : roll.drop(id))}
            onBulk={onBulk}
          />
        )}
      </div>
    </>
  );
}

/** What the person does who reads a list: it begins anew with another one. */
interface Reader {
  roll: Roll;
  selected: ReadonlySet<string>;
  /** Whether all that match are meant, not only those that are selected. */
  all: boolean;
  hovered: boolean;
  atTop: boolean;
  at: string | undefined;
}

/** Whether that is how it is already: then nothing is drawn again. */
function says(now: Reader, next: Partial<Reader>): boolean {
  return Object.entries(next).every(([name, value]) => now[name as keyof Reader] === value);
}

function begun(roll: Roll): Reader {
  const atTop = roll.scrolledTo.current === 0;
  return { roll, selected: NOBODY, all: false, hovered: false, atTop, at: undefined };
}

/** What came while one was reading; one press brings it. */
function Fresh({ reading: { fresh, more }, onShow }: { reading: Reading; onShow: () => void }) {
  if (fresh === 0) return null;
  return (
    <div className="pointer-events-none absolute inset-x-0 top-0.5 z-20 flex justify-center">
      <Button
        kind="primary"
        small
        className="pointer-events-auto rounded-full! px-3! shadow-raised"
        onClick={() => {
          document.querySelector("#main [role=grid]")?.scrollTo({ top: 0 });
          onShow();
        }}
      >
        {more ? `${fresh}+ new` : count(fresh, "new", "new")}
      </Button>
    </div>
  );
}

/** What the query bar can complete; nobody waits for it. */
function useKnown(rows: readonly Job[]): Known {
  const types = useQuery({ ...fleet.types, staleTime: Infinity });
  const queues = useQuery({ ...fleet.queues, staleTime: Infinity });
  const [first] = rows;
  return useMemo(
    () => ({
      types: types.data?.map((one) => one.type) ?? [],
      queues: queues.data?.map((one) => one.name) ?? [],
      paths: pathsOf(rows),
    }),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- other rows have like payloads
    [types.data, queues.data, first === undefined],
  );
}

/** How many jobs match in all, as far as that is known. */
function useTotal({ status, q }: Asked, { rows, next, loading }: Reading): number | undefined {
  const { data } = useQuery(stats.counts);
  if (next === undefined && !loading) return rows.length;
  return q === undefined && data ? totalOf(data, status) : undefined;
}

function idOf(job: Job): string {
  return job.id;
}

function changed(now: ReadonlySet<string>, keys: readonly string[], on: boolean): Set<string> {
  const next = new Set(now);
  for (const key of keys) {
    if (on) next.add(key);
    else next.delete(key);
  }
  return next;
}
