/** Keys that do something wherever the focus is, and what they do, so that help can tell it. */
import { useEffect, useRef, useSyncExternalStore } from "react";

export interface Binding {
  /** One key as `j`, two after each other as `g j`, or with Ctrl or ⌘ as `mod+k`. */
  keys: string;
  /** What it does, for the list of keys. */
  does: string;
  act: () => void;
  /** Also while one types. */
  always?: boolean;
}

// The second key of a pair is waited for so long.
const PAIR_MS = 1_000;

let bound: readonly Binding[] = [];
const listeners = new Set<() => void>();
let first: { key: string; at: number } | undefined;

function put(change: readonly Binding[]): void {
  bound = change;
  for (const listener of listeners) listener();
}

/** The keys of a component, as long as it is there; those of who came last count. */
export function useKeys(bindings: readonly Binding[]): void {
  const latest = useRef(bindings);
  useEffect(() => {
    latest.current = bindings;
  });
  const named = bindings
    .map((one) => `${one.keys}\n${one.does}\n${one.always ?? false}`)
    .join("\n\n");
  useEffect(() => {
    const mine = latest.current.map((one, at) => ({
      ...one,
      act: () => latest.current[at]?.act(),
    }));
    put([...bound, ...mine]);
    return () => put(bound.filter((one) => !mine.includes(one)));
  }, [named]);
}

export function useBindings(): readonly Binding[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => bound,
  );
}

function press(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.altKey || event.isComposing) return;
  const typing = isTyping(event.target);
  const found = find(pressed(event), typing || inDialog());
  if (!found) return;
  event.preventDefault();
  found.act();
}

function find(key: string, held: boolean): Binding | undefined {
  const now = performance.now();
  const pair = first && now - first.at < PAIR_MS ? `${first.key} ${key}` : undefined;
  first = undefined;
  const usable = bound.filter((one) => !held || one.always).toReversed();
  const found = usable.find((one) => one.keys === pair) ?? usable.find((one) => one.keys === key);
  if (!found && usable.some((one) => one.keys.startsWith(`${key} `))) first = { key, at: now };
  return found;
}

function pressed(event: KeyboardEvent): string {
  return event.ctrlKey || event.metaKey ? `mod+${event.key.toLowerCase()}` : event.key;
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !/^(checkbox|radio|button)$/.test(target.type);
  return target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName);
}

function inDialog(): boolean {
  return document.querySelector("dialog[open]") !== null;
}

document.addEventListener("keydown", press);
