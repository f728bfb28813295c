/** Lines over time; what they show can be read as a table too. */
import { useEffect, useMemo, useRef, useState } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useChoices, type Zone } from "~/theme/choices";
import { useTheme } from "~/theme/theme";
import { Button } from "./button";
import { classes } from "./classes";
import { useWidth } from "./width";
import { clockTime, compact, dayOf, minuteOf } from "./words";

const MINUTE = 60;
const DAY = 86_400;
const MIDNIGHT = minuteOf(0, "utc");

export interface Series {
  label: string;
  /** One for each time; null where nothing is known. */
  values: readonly (number | null)[];
  /** The name of a token, as `--running`. */
  colour: string;
  kind?: "line" | "area" | "bars";
  dashed?: boolean;
}

interface ChartProps {
  /** What it shows: the name of the figure. */
  label: string;
  /** In seconds since the epoch. */
  times: readonly number[];
  series: readonly Series[];
  /** How a value is written. */
  write?: (value: number) => string;
  height?: number;
  /** Charts of one name show the same moment when one points at either. */
  together?: string;
}

export function Chart({
  label,
  times,
  series,
  write = compact,
  height = 150,
  together,
}: ChartProps) {
  const [table, setTable] = useState(false);
  const [at, setAt] = useState<number | null>(null);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const shown = at ?? lastKnown(series);
  const toggle = (name: string) => {
    const next = new Set(hidden);
    if (!next.delete(name)) next.add(name);
    setHidden(next);
  };
  return (
    <figure aria-label={label} className="flex min-w-0 flex-col gap-2">
      {table ? (
        <Table label={label} times={times} series={series} write={write} height={height} />
      ) : (
        <Canvas
          times={times}
          series={series}
          hidden={hidden}
          write={write}
          height={height}
          onPoint={setAt}
          {...(together !== undefined && { together })}
        />
      )}
      <figcaption className="flex flex-wrap items-center gap-x-1 gap-y-1 text-xs">
        {series.map((one) => (
          <button
            key={one.label}
            type="button"
            aria-pressed={!hidden.has(one.label)}
            onClick={() => toggle(one.label)}
            className={classes(
              "flex h-6 items-center gap-1.5 rounded px-1.5 text-soft hover:bg-hover",
              hidden.has(one.label) && "line-through",
            )}
          >
            <span
              aria-hidden="true"
              className={classes("h-0.5 w-3 rounded", hidden.has(one.label) && "opacity-40")}
              style={{ backgroundColor: `var(${one.colour})` }}
            />
            {one.label}
            <span className="min-w-8 text-left font-medium text-text">
              {written(one.values[shown], write)}
            </span>
          </button>
        ))}
        <Button
          kind="ghost"
          small
          aria-pressed={table}
          className="ml-auto text-xs!"
          onClick={() => setTable(!table)}
        >
          {table ? "Chart" : "Table"}
        </Button>
      </figcaption>
    </figure>
  );
}

/** Where anything was told last: the newest point may be of a time that is not over. */
function lastKnown(series: readonly Series[]): number {
  const known = series.map((one) => one.values.findLastIndex((value) => value !== null));
  return Math.max(-1, ...known);
}

interface CanvasProps extends Omit<ChartProps, "label"> {
  write: (value: number) => string;
  height: number;
  hidden: ReadonlySet<string>;
  onPoint: (index: number | null) => void;
}

function Canvas({ times, series, hidden, write, height, together, onPoint }: CanvasProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const told = useRef({ write, onPoint });
  const width = useWidth(place);
  const theme = useTheme();
  const { zone } = useChoices();
  // A plot is made anew only if its lines are others; their values are put into the one there is.
  const lines = JSON.stringify(series.map((one) => ({ ...one, values: [] })));
  const data = useMemo(
    () => [times, ...series.map((one) => one.values)] as unknown as uPlot.AlignedData,
    [times, series],
  );
  const latest = useRef(data);

  useEffect(() => {
    told.current = { write, onPoint };
    latest.current = data;
    plot.current?.setData(data);
  }, [write, onPoint, data]);

  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const drawn = JSON.parse(lines) as Series[];
    const made = new uPlot(
      {
        width: element.clientWidth,
        height,
        legend: { show: false },
        padding: [8, 18, 0, 0],
        cursor: {
          points: { size: 6 },
          drag: { setScale: false },
          ...(together && { sync: { key: together } }),
        },
        ...(zone === "utc" && {
          tzDate: (ts: number) => uPlot.tzDate(new Date(ts * 1e3), "Etc/UTC"),
        }),
        scales: { y: { range: (_, low, high) => [Math.min(low, 0), high > 0 ? high * 1.1 : 1] } },
        axes: [
          axis({ space: 60, size: 26, values: (_, ticks) => moments(ticks, zone) }),
          axis({ size: 52, values: (_, ticks) => ticks.map((tick) => told.current.write(tick)) }),
        ],
        series: [{}, ...drawn.map(line)],
        hooks: { setCursor: [(one) => told.current.onPoint(one.cursor.idx ?? null)] },
      },
      latest.current,
      element,
    );
    plot.current = made;
    return () => {
      plot.current = undefined;
      made.destroy();
    };
  }, [lines, height, together, theme, zone]);

  useEffect(() => {
    if (width > 0) plot.current?.setSize({ width, height });
  }, [width, height]);

  useEffect(() => {
    series.forEach((one, index) =>
      plot.current?.setSeries(index + 1, { show: !hidden.has(one.label) }),
    );
  }, [series, hidden]);

  return (
    <div ref={place} aria-hidden="true" className="min-w-0 overflow-hidden" style={{ height }} />
  );
}

function axis(more: uPlot.Axis): uPlot.Axis {
  return {
    stroke: token("--faint"),
    font: `11px ${getComputedStyle(document.body).fontFamily}`,
    grid: { stroke: token("--line"), width: 1 },
    ticks: { show: false },
    ...more,
  };
}

function line(one: Series): uPlot.Series {
  const colour = token(one.colour);
  return {
    label: one.label,
    stroke: colour,
    width: 1.5,
    points: { show: true, size: 4, fill: colour, filter: (plot, at) => alone(plot.data[at]) },
    gaps: (plot, _, _from, _to, gaps) => gaps.filter(([from, to]) => to - from > 2.5 * step(plot)),
    ...(one.dashed && { dash: [4, 4] }),
    ...(one.kind === "area" && { fill: `${colour}22` }),
    ...(one.kind === "bars" && {
      fill: `${colour}55`,
      ...(uPlot.paths.bars && { paths: uPlot.paths.bars({ size: [0.7, 24] }) }),
    }),
  };
}

/** How far apart two times are drawn. A line leads over one that is missing: it came a little late. */
function step(plot: uPlot): number {
  const [first = 0, second = 0] = plot.data[0];
  return plot.valToPos(second, "x", true) - plot.valToPos(first, "x", true);
}

/** The points that no line leads to: without a dot they would not be seen. */
function alone(values: ArrayLike<number | null | undefined> = []): number[] {
  const known = (at: number) => values[at] !== null && values[at] !== undefined;
  return Array.from(values, (_, at) => at).filter(
    (at) => known(at) && !known(at - 1) && !known(at + 1),
  );
}

/** Times of day; or days, if the ticks are far apart and where one begins. */
function moments(ticks: readonly number[], zone: Zone): string[] {
  const apart = (ticks[1] ?? 0) - (ticks[0] ?? 0);
  const time = apart < MINUTE ? clockTime : minuteOf;
  return ticks.map((tick) => {
    const begins = minuteOf(tick * 1000, zone) === MIDNIGHT;
    return (apart >= DAY || (apart >= MINUTE && begins) ? dayOf : time)(tick * 1000, zone);
  });
}

function token(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function written(value: number | null | undefined, write: (value: number) => string): string {
  return value === null || value === undefined ? "–" : write(value);
}

interface TableProps extends Omit<ChartProps, "together"> {
  write: (value: number) => string;
  height: number;
}

function Table({ label, times, series, write, height }: TableProps) {
  const { zone } = useChoices();
  const days = (times.at(-1) ?? 0) - (times[0] ?? 0) > DAY / 2;
  return (
    <div className="overflow-auto" style={{ height }} tabIndex={0} role="region" aria-label={label}>
      <table className="w-full text-xs">
        <thead className="sticky top-0 bg-panel text-left text-faint">
          <tr>
            <th scope="col" className="py-1 font-medium">
              Time
            </th>
            {series.map((one) => (
              <th key={one.label} scope="col" className="py-1 text-right font-medium">
                {one.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times
            .map((time, index) => ({ time, index }))
            .toReversed()
            .map(({ time, index }) => (
              <tr key={time} className="border-t border-line">
                <th scope="row" className="py-0.5 text-left font-normal text-soft">
                  {days && `${dayOf(time * 1000, zone)}, `}
                  {clockTime(time * 1000, zone)}
                </th>
                {series.map((one) => (
                  <td key={one.label} className="py-0.5 text-right">
                    {written(one.values[index], write)}
                  </td>
                ))}
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}
