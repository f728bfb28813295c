/** The time, as pages see it: one timer for all of them, and none while the tab is hidden. */
import { useSyncExternalStore } from "react";

const TICK = 1_000;

let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function tick(): void {
  if (document.hidden) return;
  now = Date.now();
  for (const listener of listeners) listener();
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, TICK);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

document.addEventListener("visibilitychange", tick);

/** Milliseconds since the epoch, anew every second. */
export function useNow(): number {
  return useSyncExternalStore(listen, () => now);
}
