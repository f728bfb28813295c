/**
 * A table of any length: only the rows in sight are there, and screen readers are told of the rest.
 *
 * The rows are one stop for Tab; arrows, j and k go from row to row, x selects, Enter opens. A row
 * is drawn anew only when it is another, however often the table is.
 */
import { useVirtualizer } from "@tanstack/react-virtual";
import {
  memo,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
} from "react";
import { useKeys } from "~/keys/keys";
import { classes } from "./classes";
import { Skeleton } from "./skeleton";
import { useWidth } from "./width";

export interface Column<T> {
  key: string;
  title: ReactNode;
  /** Its place in the row, as a track of a CSS grid: `8rem`, `minmax(0, 2fr)`. */
  track: string;
  /** It shows from this width of the table on, in pixels. */
  from?: number;
  end?: boolean; // at the right of its place, as numbers are
  cell: (row: T) => ReactNode;
}

interface GridProps<T> {
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string;
  /** How many there are in all, if that is known. */
  total?: number | undefined;
  rowHeight?: number;
  onOpen?: (row: T) => void;
  /** Said when the end of the rows comes near. */
  onEnd?: () => void;
  /** Whether more rows are on their way. */
  loading?: boolean;
  selected?: ReadonlySet<string>;
  onSelect?: (keys: readonly string[], on: boolean) => void;
  /** In place of the table, when there are no rows. */
  empty?: ReactNode;
  /** Below the last row. */
  foot?: ReactNode;
  /** Told where one is: at the top new rows may come, further down they would push. */
  onScrolled?: (atTop: boolean) => void;
  /** Told which rows are in sight: from the first up to, not with, the last. */
  onSeen?: (first: number, last: number) => void;
  /** Told which row has the focus; none after it was left. */
  onAt?: (row: T | undefined) => void;
  /** Where it was scrolled to, kept for when one comes back. */
  scrolledTo?: { current: number };
}

const HEADER = 32;
const NEAR = 60; // rows before the end
const OVERSCAN = 8;

export function Grid<T>(props: GridProps<T>) {
  const { rows, keyOf, onOpen, onEnd, onSelect, selected, loading = false, rowHeight = 40 } = props;
  const { onSeen, onAt, scrolledTo } = props;
  const box = useRef<HTMLDivElement>(null);
  const place = useRef<HTMLDivElement>(null);
  const going = useRef(-1);
  const anchor = useRef(-1); // where a range of selected rows begins
  const width = useWidth(box);
  const [at, setAt] = useState(-1);
  const all = props.columns;
  const columns = useMemo(() => all.filter((column) => (column.from ?? 0) <= width), [all, width]);
  const tracks = [onSelect && "1.5rem", ...columns.map((column) => column.track)]
    .filter(Boolean)
    .join(" ");
  const virtual = useVirtualizer({
    count: rows.length + (loading ? 3 : 0),
    getScrollElement: () => place.current,
    estimateSize: useCallback(() => rowHeight, [rowHeight]),
    overscan: OVERSCAN,
    scrollPaddingStart: HEADER,
    ...(scrolledTo && { initialOffset: scrolledTo.current }),
  });
  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  const latest = useRef({ rows, keyOf, onOpen, onSelect, selected, onAt });
  useLayoutEffect(() => {
    latest.current = { rows, keyOf, onOpen, onSelect, selected, onAt };
  });

  useEffect(() => {
    if (rows.length > 0 && last >= rows.length - NEAR) onEnd?.();
  }, [last, rows.length, onEnd]);

  useEffect(() => onSeen?.(first, last + 1), [first, last, onSeen]);

  useLayoutEffect(() => {
    if (scrolledTo && place.current) place.current.scrollTop = scrolledTo.current;
  }, [scrolledTo]);

  const focus = useCallback((index: number) => {
    setAt(index);
    latest.current.onAt?.(latest.current.rows[index]);
  }, []);
  const go = (to: number) => {
    if (rows.length === 0) return;
    const next = Math.min(Math.max(to, 0), rows.length - 1);
    focus(next);
    going.current = next;
    virtual.scrollToIndex(next);
    // The row is there with the next frame; until then one may have gone further.
    requestAnimationFrame(() => {
      if (going.current === next) rowAt(place.current, next)?.focus({ preventScroll: true });
    });
  };
  const toggle = useCallback((index: number, range: boolean) => {
    const now = latest.current;
    const row = now.rows[index];
    if (row === undefined) return;
    const on = !now.selected?.has(now.keyOf(row));
    const from = range && anchor.current >= 0 ? anchor.current : index;
    const span = now.rows.slice(Math.min(from, index), Math.max(from, index) + 1);
    anchor.current = index;
    now.onSelect?.(span.map(now.keyOf), range || on);
  }, []);
  const open = useCallback((index: number) => {
    const row = latest.current.rows[index];
    if (row !== undefined) latest.current.onOpen?.(row);
  }, []);
  const page = () => Math.max(Math.floor((place.current?.clientHeight ?? 0) / rowHeight) - 1, 1);

  useKeys([
    { keys: "j", does: "Next row", act: () => go(at + 1) },
    { keys: "k", does: "Row before", act: () => go(at - 1) },
    ...(onSelect
      ? [
          { keys: "x", does: "Select the row", act: () => toggle(at, false) },
          { keys: "X", does: "Select the rows up to here", act: () => toggle(at, true) },
        ]
      : []),
    ...(onOpen ? [{ keys: "Enter", does: "Open the row", act: () => open(at) }] : []),
  ]);

  const walk = (event: KeyboardEvent) => {
    if ((event.target as Element).getAttribute("role") !== "row") return;
    const to: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: rows.length - 1,
      PageDown: at + page(),
      PageUp: at - page(),
    };
    const next = to[event.key];
    if (event.key === " " && onSelect) {
      event.preventDefault();
      toggle(at, event.shiftKey);
    }
    if (next === undefined) return;
    event.preventDefault();
    go(next);
  };

  const table = (
    <div
      ref={place}
      role="grid"
      aria-label={props.label}
      aria-rowcount={props.total === undefined ? -1 : props.total + 1}
      aria-colcount={columns.length + (onSelect ? 1 : 0)}
      aria-multiselectable={onSelect ? true : undefined}
      aria-busy={loading}
      tabIndex={rows.length === 0 ? 0 : -1}
      onKeyDown={walk}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) onAt?.(undefined);
      }}
      onScroll={({ currentTarget: { scrollTop } }) => {
        if (scrolledTo) scrolledTo.current = scrollTop;
        props.onScrolled?.(scrollTop < rowHeight);
      }}
      className="relative min-h-0 flex-1 overflow-auto overscroll-contain"
    >
      <div role="rowgroup" className="sticky top-0 z-10 bg-panel">
        <div
          role="row"
          aria-rowindex={1}
          className="grid items-center gap-x-3 border-b border-line px-3 text-xs font-medium text-faint"
          style={{ gridTemplateColumns: tracks, height: HEADER }}
        >
          {onSelect && (
            <span role="columnheader">
              <AllBox rows={rows} keyOf={keyOf} selected={selected} onSelect={onSelect} />
            </span>
          )}
          {columns.map((column) => (
            <span
              key={column.key}
              role="columnheader"
              className={classes("truncate", column.end && "text-right")}
            >
              {column.title}
            </span>
          ))}
        </div>
      </div>
      <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
        {items.map((item) => {
          const row = rows[item.index];
          const key = row === undefined ? `loading-${item.index}` : keyOf(row);
          return (
            <Row
              // What moves up takes the place of what was there: cheaper than to move the places.
              key={item.index}
              name={key}
              row={row}
              index={item.index}
              start={item.start}
              height={item.size}
              tracks={tracks}
              columns={columns as readonly Column<unknown>[]}
              current={item.index === Math.max(at, 0)}
              chosen={selected?.has(key) ?? false}
              opens={onOpen !== undefined}
              onToggle={onSelect ? toggle : undefined}
              onOpen={open}
              onFocus={focus}
            />
          );
        })}
      </div>
      {props.foot}
    </div>
  );

  return (
    <div ref={box} className="flex min-h-0 flex-1 flex-col overflow-auto">
      {rows.length === 0 && !loading && props.empty ? props.empty : table}
    </div>
  );
}

interface RowProps {
  name: string;
  row: unknown;
  index: number;
  start: number;
  height: number;
  tracks: string;
  columns: readonly Column<unknown>[];
  current: boolean;
  chosen: boolean;
  opens: boolean;
  onToggle: ((index: number, range: boolean) => void) | undefined;
  onOpen: (index: number) => void;
  onFocus: (index: number) => void;
}

const Row = memo(function Row(props: RowProps) {
  const { name, row, index, columns, chosen, opens, onToggle, onOpen, onFocus } = props;
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the grid has the keys, and one row the focus
    <div
      role="row"
      data-row={index}
      aria-rowindex={index + 2}
      aria-selected={onToggle ? chosen : undefined}
      tabIndex={props.current ? 0 : -1}
      onFocus={() => onFocus(index)}
      onClick={(event) => {
        if (!isControl(event.target)) onOpen(index);
      }}
      className={classes(
        "absolute inset-x-0 top-0 grid items-center contain-content gap-x-3 border-b border-line px-3 text-sm -outline-offset-2",
        opens && row !== undefined && "cursor-pointer",
        chosen ? "bg-accent-soft" : opens && row !== undefined && "hover:bg-hover",
      )}
      style={{
        gridTemplateColumns: props.tracks,
        height: props.height,
        transform: `translateY(${props.start}px)`,
      }}
    >
      {onToggle && (
        <span role="gridcell">
          {row !== undefined && (
            <input
              type="checkbox"
              tabIndex={-1}
              aria-label={`Select ${name}`}
              checked={chosen}
              onClick={(event) => onToggle(index, event.shiftKey)}
              readOnly
              className="block size-4 accent-accent"
            />
          )}
        </span>
      )}
      {columns.map((column) => (
        <span
          key={column.key}
          role="gridcell"
          className={classes("min-w-0 truncate", column.end && "text-right")}
        >
          {row === undefined ? <Skeleton className="h-4 w-3/4" /> : column.cell(row)}
        </span>
      ))}
    </div>
  );
});

interface AllBoxProps<T> {
  rows: readonly T[];
  keyOf: (row: T) => string;
  selected: ReadonlySet<string> | undefined;
  onSelect: (keys: readonly string[], on: boolean) => void;
}

function AllBox<T>({ rows, keyOf, selected, onSelect }: AllBoxProps<T>) {
  const some = (selected?.size ?? 0) > 0;
  const all = some && rows.every((row) => selected?.has(keyOf(row)));
  return (
    <input
      type="checkbox"
      aria-label="Select all rows that are loaded"
      checked={all}
      ref={(box) => {
        if (box) box.indeterminate = some && !all;
      }}
      onChange={() => onSelect(rows.map(keyOf), !all)}
      className="block size-4 accent-accent"
    />
  );
}

function rowAt(place: Element | null, index: number): HTMLElement | null {
  return place?.querySelector<HTMLElement>(`[data-row="${index}"]`) ?? null;
}

function isControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest("a, button, input, label") !== null;
}
