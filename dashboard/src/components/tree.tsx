/** A JSON document as a tree that can be folded; long ones are shown in portions. */
import { useState, type ReactNode } from "react";
import { classes } from "./classes";
import { Copy } from "./copy";
import { Icon } from "./icon";
import { number, spelled } from "./words";

const PORTION = 100;
const LONGEST = 500;
// Deeper ones are folded at first.
const OPEN_DEPTH = 2;

export function Tree({ value, label }: { value: unknown; label: string }) {
  return (
    <div className="group relative" role="group" aria-label={label}>
      <div className="absolute top-0 right-0 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100">
        <Copy text={JSON.stringify(value, null, 2)} label={`Copy ${label}`} />
      </div>
      <div className="overflow-x-auto pr-8 font-mono text-xs leading-5">
        <Branch value={value} depth={0} />
      </div>
    </div>
  );
}

interface BranchProps {
  name?: string;
  value: unknown;
  depth: number;
}

function Branch({ name, value, depth }: BranchProps) {
  if (value !== null && typeof value === "object")
    return <Fold name={name} value={value} depth={depth} />;
  return (
    <div className="pl-4">
      <Name name={name} />
      <Leaf value={value} />
    </div>
  );
}

function Fold({ name, value, depth }: { name: string | undefined; value: object; depth: number }) {
  const [open, setOpen] = useState(depth < OPEN_DEPTH);
  const [shown, setShown] = useState(PORTION);
  const entries = Object.entries(value);
  const [begin, end] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (entries.length === 0) {
    return (
      <div className="pl-4">
        <Name name={name} />
        <span className="text-faint">{begin + end}</span>
      </div>
    );
  }
  return (
    <div>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex items-center rounded text-left hover:bg-hover"
      >
        <Icon
          name="right"
          className={classes("mr-1 size-3 shrink-0 text-faint", open && "rotate-90")}
        />
        <Name name={name} />
        <span className="text-faint">
          {open ? begin : `${begin} ${sized(entries.length, Array.isArray(value))} ${end}`}
        </span>
      </button>
      {open && (
        <>
          <div className="ml-[5px] border-l border-line pl-2">
            {entries.slice(0, shown).map(([key, one]) => (
              <Branch key={key} name={key} value={one} depth={depth + 1} />
            ))}
            {entries.length > shown && (
              <More onClick={() => setShown(shown + PORTION)}>
                {number(entries.length - shown)} more
              </More>
            )}
          </div>
          <div className="pl-4 text-faint">{end}</div>
        </>
      )}
    </div>
  );
}

function Name({ name }: { name: string | undefined }) {
  if (name === undefined) return null;
  return (
    <>
      <span className="text-soft">{spelled(name)}</span>
      <span className="pr-1.5 text-faint">:</span>
    </>
  );
}

function Leaf({ value }: { value: unknown }) {
  const [whole, setWhole] = useState(false);
  if (typeof value !== "string") return <span className={tint(value)}>{String(value)}</span>;
  const cut = !whole && value.length > LONGEST;
  return (
    <span className="wrap-anywhere whitespace-pre-wrap text-completed">
      {spelled(JSON.stringify(cut ? value.slice(0, LONGEST) : value))}
      {cut && (
        <More onClick={() => setWhole(true)}>{number(value.length - LONGEST)} more characters</More>
      )}
    </span>
  );
}

function More({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <button type="button" onClick={onClick} className="ml-4 text-accent-text hover:underline">
      {children}
    </button>
  );
}

function tint(value: unknown): string {
  if (typeof value === "number") return "text-running";
  if (typeof value === "boolean") return "text-scheduled";
  return "text-faint";
}

function sized(entries: number, list: boolean): string {
  const what = list ? "item" : "key";
  return `${entries} ${what}${entries === 1 ? "" : "s"}`;
}
