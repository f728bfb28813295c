/** A JSON document in a few words, for one line. */
import { spelled } from "~/components/words";

const LONGEST = 160;

export function summary(value: unknown): string {
  if (Array.isArray(value)) return cut(`[${value.slice(0, 20).map(part).join(", ")}]`);
  if (value === null || typeof value !== "object") return cut(part(value));
  const entries = Object.entries(value).slice(0, 12);
  return cut(entries.map(([key, one]) => `${key}: ${part(one)}`).join("  "));
}

function part(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "[]" : `[${value.length}]`;
  if (value !== null && typeof value === "object") return "{…}";
  return typeof value === "string" ? value.slice(0, LONGEST) : JSON.stringify(value);
}

function cut(text: string): string {
  return spelled(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}
