/** How much flowed and how long it took, over time. */
import { useQuery } from "@tanstack/react-query";
import { useMemo, type ReactNode } from "react";
import { history, type Window } from "~/api/history";
import type { History } from "~/api/shapes";
import { Chart, type Series } from "~/components/chart";
import { Failure } from "~/components/failure";
import { Panel } from "~/components/panel";
import { Skeleton } from "~/components/skeleton";
import { compact, span } from "~/components/words";

const HEIGHT = 150;
const WHOLE = 0.8;

export function Charts({ window }: { window: Window }) {
  const { data, error, refetch } = useQuery(history.series(window));
  if (error && !data) return <Failure error={error} again={() => void refetch()} />;
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Plot title="Throughput" data={data} draw={throughput} write={perSecond} />
      <Plot title="Waiting and running" data={data} draw={depth} write={compact} />
      <Plot title="Time in the queue" data={data} draw={waits} write={span} />
      <Plot title="Time to run" data={data} draw={runs} write={span} />
    </div>
  );
}

interface PlotProps {
  title: string;
  data: History | undefined;
  draw: (history: History) => Series[];
  write: (value: number) => string;
}

function Plot({ title, data, draw, write }: PlotProps): ReactNode {
  const drawn = useMemo(() => data && { times: times(data), series: draw(data) }, [data, draw]);
  return (
    <Panel title={title}>
      {drawn ? (
        <Chart label={title} height={HEIGHT} together="overview" write={write} {...drawn} />
      ) : (
        <Skeleton className="h-[182px] w-full" />
      )}
    </Panel>
  );
}

function times({ since, step, enqueued }: History): number[] {
  const first = Date.parse(since) / 1000;
  return enqueued.map((_, index) => first + index * step);
}

function throughput(told: History): Series[] {
  const rate = (counts: readonly (number | null)[]) => rates(counts, told);
  return [
    { label: "Enqueued", values: rate(told.enqueued), colour: "--accent-text" },
    { label: "Completed", values: rate(told.completed), colour: "--completed", kind: "area" },
    { label: "Failed", values: rate(told.failed), colour: "--failed" },
  ];
}

/** Per second; the newest step only once most of it is over, or it would always seem to fall. */
function rates(counts: readonly (number | null)[], { since, until, step }: History) {
  const lasts = (Date.parse(until) - Date.parse(since)) / 1000;
  return counts.map((count, index) => {
    const seconds = Math.min(step, lasts - index * step);
    return count === null || seconds < WHOLE * step ? null : count / seconds;
  });
}

function depth(told: History): Series[] {
  return [
    { label: "Waiting", values: told.pending, colour: "--pending", kind: "area" },
    { label: "Running", values: told.running, colour: "--running", kind: "area" },
  ];
}

const waits = ({ wait }: History) => parts(wait);
const runs = ({ run }: History) => parts(run);

function parts({ p50, p95, p99 }: History["wait"]): Series[] {
  return [
    { label: "Median", values: p50, colour: "--scheduled", kind: "area" },
    { label: "95 %", values: p95, colour: "--running" },
    { label: "99 %", values: p99, colour: "--warning", dashed: true },
  ];
}

function perSecond(value: number): string {
  return `${compact(value)}/s`;
}
