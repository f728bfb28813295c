/**
 * A table of any length: only the rows in sight are there, and screen readers are told of the rest.
 *
 * The rows are one stop for Tab; arrows, j and k go from row to row, x selects, Enter opens.
 */
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
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
  /** Told where one is: at the top new rows may come, further down they would push. */
  onScrolled?: (atTop: boolean) => void;
}

const HEADER = 32;
const NEAR = 30; // rows before the end
const OVERSCAN = 8;

export function Grid<T>(props: GridProps<T>) {
  const { rows, keyOf, onOpen, onEnd, onSelect, selected, loading = false, rowHeight = 40 } = props;
  const box = useRef<HTMLDivElement>(null);
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const [at, setAt] = useState(-1);
  const columns = props.columns.filter((column) => (column.from ?? 0) <= width);
  const tracks = [onSelect && "2.25rem", ...columns.map((column) => column.track)]
    .filter(Boolean)
    .join(" ");
  const virtual = useVirtualizer({
    count: rows.length + (loading ? 3 : 0),
    getScrollElement: () => place.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    scrollMargin: 0,
    scrollPaddingStart: HEADER,
    getItemKey: (index) => {
      const row = rows[index];
      return row === undefined ? `loading-${index}` : keyOf(row);
    },
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;

  useEffect(() => {
    if (rows.length > 0 && last >= rows.length - NEAR) onEnd?.();
  }, [last, rows.length, onEnd]);

  const go = (to: number) => {
    if (rows.length === 0) return;
    const next = Math.min(Math.max(to, 0), rows.length - 1);
    setAt(next);
    virtual.scrollToIndex(next);
    requestAnimationFrame(() => rowAt(place.current, next)?.focus({ preventScroll: true }));
  };
  const toggle = (index: number) => {
    const row = rows[index];
    if (row !== undefined) onSelect?.([keyOf(row)], !selected?.has(keyOf(row)));
  };
  const open = (index: number) => {
    const row = rows[index];
    if (row !== undefined) onOpen?.(row);
  };
  const page = () => Math.max(Math.floor((place.current?.clientHeight ?? 0) / rowHeight) - 1, 1);

  useKeys([
    { keys: "j", does: "Next row", act: () => go(at + 1) },
    { keys: "k", does: "Row before", act: () => go(at - 1) },
    ...(onSelect ? [{ keys: "x", does: "Select the row", act: () => toggle(at) }] : []),
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
      toggle(at);
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
      onScroll={(event) => props.onScrolled?.(event.currentTarget.scrollTop < rowHeight)}
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
              <AllBox rows={rows.map(keyOf)} selected={selected} onSelect={onSelect} />
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
          const key = row === undefined ? "" : keyOf(row);
          const chosen = selected?.has(key) ?? false;
          return (
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the grid has the keys, and one row the focus
            <div
              key={item.key}
              role="row"
              data-row={item.index}
              aria-rowindex={item.index + 2}
              aria-selected={onSelect ? chosen : undefined}
              tabIndex={item.index === Math.max(at, 0) ? 0 : -1}
              onFocus={() => setAt(item.index)}
              onClick={(event) => {
                if (!isControl(event.target)) open(item.index);
              }}
              className={classes(
                "absolute inset-x-0 top-0 grid items-center gap-x-3 border-b border-line px-3 text-sm -outline-offset-2",
                onOpen && row !== undefined && "cursor-pointer hover:bg-hover",
                chosen && "bg-accent-soft",
              )}
              style={{
                gridTemplateColumns: tracks,
                height: item.size,
                transform: `translateY(${item.start}px)`,
              }}
            >
              {onSelect && (
                <span role="gridcell">
                  {row !== undefined && (
                    <input
                      type="checkbox"
                      tabIndex={-1}
                      aria-label={`Select ${key}`}
                      checked={chosen}
                      onChange={() => onSelect([key], !chosen)}
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
        })}
      </div>
    </div>
  );

  return (
    <div ref={box} className="flex min-h-0 flex-1 flex-col overflow-auto">
      {rows.length === 0 && !loading && props.empty ? props.empty : table}
    </div>
  );
}

interface AllBoxProps {
  rows: readonly string[];
  selected: ReadonlySet<string> | undefined;
  onSelect: (keys: readonly string[], on: boolean) => void;
}

function AllBox({ rows, selected, onSelect }: AllBoxProps) {
  const chosen = rows.filter((key) => selected?.has(key)).length;
  const all = rows.length > 0 && chosen === rows.length;
  return (
    <input
      type="checkbox"
      aria-label="Select all rows that are loaded"
      checked={all}
      ref={(box) => {
        if (box) box.indeterminate = chosen > 0 && !all;
      }}
      onChange={() => onSelect(rows, !all)}
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
