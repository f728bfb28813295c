/** How much of a worker is in use, in words. */
import type { Worker } from "~/api/shapes";
import { count } from "~/components/words";

export function room({ slots, slots_in_use, threads, threads_in_use }: Worker): string {
  const told = `${slots_in_use} of ${count(slots, "slot")} in use`;
  return threads > 0 ? `${told}, ${threads_in_use} of ${count(threads, "thread")} granted` : told;
}
