/** Whether the server answers; and if not, since when. */
import { useSyncExternalStore } from "react";

let away: number | undefined;
const listeners = new Set<() => void>();

/** Told of every request: whether anything came back. */
export function noteAnswer(came: boolean): void {
  if (came === (away === undefined)) return;
  away = came ? undefined : Date.now();
  for (const listener of listeners) listener();
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Since when nothing comes back, in milliseconds since the epoch. */
export function useAway(): number | undefined {
  return useSyncExternalStore(listen, () => away);
}
