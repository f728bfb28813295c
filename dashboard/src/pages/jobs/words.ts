/** The words of a query, as core/search.py reads them. */
import type { State } from "~/api/shapes";
import { STATES } from "~/components/state";

export const FIELDS = [
  { name: "status:", tells: "pending, scheduled, running, completed, failed, cancelled" },
  { name: "type:", tells: "the type of job, as type:email" },
  { name: "queue:", tells: "the queue it is in" },
  { name: "name:", tells: "what it was called" },
  { name: "key:", tells: "its idempotency key" },
  { name: "payload.", tells: "a field of its payload, as payload.user.id:42" },
  { name: "error:", tells: 'a part of its error, as error:"timed out"' },
  { name: "age:", tells: "older or younger: age:>10m, age:<2h" },
  { name: "created:", tells: "a day, or compared: created:>2026-11-01T09:30" },
  { name: "fingerprint:", tells: "errors that are alike" },
] as const;

const WORD = /(?:[A-Za-z_][\w.-]*:)?(?:"(?:[^"\\]|\\.)*"|[^\s"]+)/g;

export interface Asked {
  status?: State | undefined;
  q?: string | undefined;
}

/** A query with its state apart, if it names one: tabs show states. */
export function apart(q: string, status?: State): Asked {
  const words = q.match(WORD) ?? [];
  const named = words.find((word) => word.startsWith("status:"));
  const state = STATES.find((one) => `status:${one}` === named);
  // Several states at once stay in the query, and no tab is theirs.
  if (named !== undefined && state === undefined) return { q };
  const rest = words.filter((word) => word !== named).join(" ");
  const read = words.join("").length === q.replaceAll(/\s/g, "").length;
  if (named === undefined || !read) return { status, q: q.trim() || undefined };
  return { status: state, q: rest || undefined };
}

/** The whole query in words, for who takes no state beside it. */
export function whole({ status, q }: Asked): string {
  return [status && `status:${status}`, q].filter(Boolean).join(" ");
}

/** A value as it is written in a query: quoted where it has to be. */
export function quoted(value: string): string {
  return /^[^\s"]+$/.test(value) ? value : JSON.stringify(value);
}

/** The word that the caret is in, or behind. */
export function wordAt(text: string, caret: number): { word: string; from: number; to: number } {
  const from = text.slice(0, caret).search(/(?:[^\s"]|"(?:[^"\\]|\\.)*"?)*$/);
  const after = text.slice(caret).search(/\s|$/);
  return { word: text.slice(from, caret), from, to: caret + after };
}
