/** What may come next in a query. */
import type { Job } from "~/api/shapes";
import { STATES } from "~/components/state";
import { FIELDS, quoted } from "./words";

export interface Known {
  types: readonly string[];
  queues: readonly string[];
  /** Paths into payloads that were seen. */
  paths: readonly string[];
}

export interface Option {
  /** The word as it will be. */
  word: string;
  tells?: string;
}

const MOST = 10;
const SAMPLED = 50;
const AGES = [
  { word: "age:<10m", tells: "of the last ten minutes" },
  { word: "age:<1h", tells: "of the last hour" },
  { word: "age:<1d", tells: "of the last day" },
  { word: "age:>10m", tells: "older than ten minutes" },
  { word: "age:>1d", tells: "older than a day" },
];

export function completions(word: string, known: Known): Option[] {
  const colon = word.indexOf(":");
  const options = colon < 0 ? fields(word, known) : values(word.slice(0, colon), word, known);
  const said = word.toLowerCase();
  return options
    .filter((option) => option.word.toLowerCase().startsWith(said) && option.word !== word)
    .slice(0, MOST);
}

function fields(word: string, known: Known): Option[] {
  if (word.startsWith("payload.")) return known.paths.map((path) => ({ word: `payload.${path}:` }));
  return FIELDS.map(({ name, tells }) => ({ word: name, tells }));
}

function values(field: string, word: string, known: Known): Option[] {
  switch (field) {
    case "status":
      return states(word);
    case "type":
      return known.types.map((type) => ({ word: `type:${quoted(type)}` }));
    case "queue":
      return known.queues.map((queue) => ({ word: `queue:${quoted(queue)}` }));
    case "age":
      return AGES;
    default:
      return [];
  }
}

/** Several states may be named, with commas. */
function states(word: string): Option[] {
  const named = word.slice(0, word.lastIndexOf(",") + 1) || "status:";
  const left = STATES.filter((state) => !named.includes(state));
  return left.map((state) => ({ word: named + state }));
}

/** Which fields the payloads of these jobs have, two levels deep. */
export function pathsOf(jobs: readonly Job[]): string[] {
  const paths = new Set<string>();
  for (const { payload } of jobs.slice(0, SAMPLED)) walk(payload, "", paths);
  return [...paths].toSorted();
}

function walk(value: unknown, path: string, paths: Set<string>): void {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return;
  for (const [key, one] of Object.entries(value)) {
    if (!/^[\w-]+$/.test(key)) continue;
    const here = path ? `${path}.${key}` : key;
    if (one === null || typeof one !== "object") paths.add(here);
    else if (!path) walk(one, here, paths);
  }
}
