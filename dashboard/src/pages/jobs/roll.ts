/**
 * The jobs that fit a query, as far as they were loaded, the newest first.
 *
 * It is kept fresh without moving under one's eyes: while it is held, rows change in their places,
 * and what is new waits. However much happens, listeners are told at most once in a frame.
 */
import { api } from "~/api/client";
import type { Job, State } from "~/api/shapes";

export interface Wanted {
  status?: State | undefined;
  q?: string | undefined;
}

export interface Rolled {
  rows: readonly Job[];
  /** Whether somebody is being asked for older ones. */
  loading: boolean;
  /** Where older ones begin; nothing once all are there. */
  next: string | undefined;
  /** How far back a search has looked, when it stopped early. */
  lookedBackTo: string | undefined;
  error: unknown;
  /** New ones that wait while it is held; `more` says that there are more than were counted. */
  fresh: number;
  more: boolean;
}

/** What becomes of the newest page: it heeds who reads, is put in anyway, or replaces all. */
type How = "heed" | "put in" | "replace";

/** What the stream tells of the newest jobs. */
export interface Hint {
  changed: readonly { id: string; status: State }[];
  more: boolean;
}

interface Leaf {
  items: readonly Job[];
  next: string | undefined;
  lookedBackTo: string | undefined;
}

// The first page is there at once; who goes far goes in larger steps.
const FIRST = 100;
const FURTHER = 500;
const FAR = 5_000;
const LARGEST = 1_000;
// No more often, and never so often that the server is busy with this list alone.
const REFRESH_MS = 1_000;
const SHARE = 2;

const NOTHING: Rolled = {
  rows: [],
  loading: false,
  next: undefined,
  lookedBackTo: undefined,
  error: undefined,
  fresh: 0,
  more: false,
};

export class Roll {
  readonly scrolledTo = { current: 0 };
  readonly #wanted: Wanted;
  readonly #listeners = new Set<() => void>();
  readonly #news = new Map<string, Job>();
  readonly #states = new Map<string, State>();
  #now = NOTHING;
  #held = false;
  #begun = false;
  #drawing = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #restUntil = 0;
  // One request after the other: each goes on from what the one before has left.
  #line: Promise<void> = Promise.resolve();

  constructor(wanted: Wanted) {
    this.#wanted = wanted;
  }

  readonly snapshot = (): Rolled => this.#now;

  readonly listen = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#begun) this.refresh();
    else this.older();
    this.#begun = true;
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) clearTimeout(this.#timer);
    };
  };

  /** Load the next page; at first the newest. */
  readonly older = (): void => {
    const { loading, next, error } = this.#now;
    const over = this.#begun && next === undefined && error === undefined;
    if (loading || over) return;
    this.#put({ loading: true, error: undefined });
    this.#line = this.#line.then(() => this.#older());
  };

  /** While one reads, rows stay where they are. */
  hold(held: boolean): void {
    if (this.#held === held) return;
    this.#held = held;
    if (!held && this.#now.fresh > 0) this.show();
  }

  /** Put in what waits. */
  readonly show = (): void => this.#refreshIn(0, "put in");

  /** Begin again with the newest: anything may have changed. */
  readonly renew = (): void => this.#refreshIn(0, "replace");

  /** Ask for the newest again: soon, and not too often. */
  readonly refresh = (): void =>
    this.#refreshIn(Math.max(this.#restUntil - performance.now(), 0), "heed");

  /** The newest have changed: what is known at once is shown at once. */
  hint({ changed }: Hint): void {
    for (const { id, status } of changed) this.#states.set(id, status);
    this.#soon();
    this.refresh();
  }

  /** A job as it is now. */
  patch(job: Job): void {
    this.#news.set(job.id, job);
    this.#soon();
  }

  /** A job that is gone. */
  drop(id: string): void {
    this.#put({ rows: this.#now.rows.filter((job) => job.id !== id) });
  }

  #refreshIn(wait: number, how: How): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#line = this.#line.then(() => this.#refresh(how));
    }, wait);
  }

  async #older(): Promise<void> {
    const { next, rows } = this.#now;
    try {
      const { items, ...rest } = await this.#leaf(next, sizeAfter(rows.length));
      this.#put({ rows: [...rows, ...items], loading: false, ...rest });
    } catch (error) {
      this.#put({ loading: false, error });
    }
  }

  async #refresh(how: How): Promise<void> {
    if (this.#listeners.size === 0) return;
    const begun = performance.now();
    try {
      this.#merge(await this.#leaf(undefined, FIRST), how);
    } catch (error) {
      // What is shown stays; the next hint asks again.
      if (this.#now.rows.length === 0) this.#put({ error });
    }
    const now = performance.now();
    this.#restUntil = now + Math.max(REFRESH_MS, SHARE * (now - begun));
  }

  #merge(leaf: Leaf, how: How): void {
    const { rows } = this.#now;
    if (how !== "heed" || !this.#held || rows.length === 0) {
      const { items, ...rest } = leaf;
      const put = how === "replace" ? { rows: items, ...rest } : joined(leaf, this.#now);
      this.#put({ ...put, fresh: 0, more: false, error: undefined });
      return;
    }
    const newest = rows[0]?.id ?? "";
    const fresh = leaf.items.filter((job) => job.id > newest).length;
    for (const job of leaf.items) this.#news.set(job.id, job);
    this.#soon();
    if (fresh !== this.#now.fresh) {
      this.#put({ fresh, more: fresh === leaf.items.length && leaf.next !== undefined });
    }
  }

  async #leaf(before: string | undefined, limit: number): Promise<Leaf> {
    const query = { ...this.#wanted, limit, ...(before !== undefined && { before }) };
    const { items, next, headers } = await api.page("/jobs", { query });
    const looked = headers.get("windlass-looked-back-to") ?? undefined;
    return { items, next, lookedBackTo: looked };
  }

  #put(change: Partial<Rolled>): void {
    this.#now = { ...this.#now, ...change };
    for (const listener of this.#listeners) listener();
  }

  #soon(): void {
    if (this.#drawing) return;
    this.#drawing = true;
    requestAnimationFrame(() => {
      this.#drawing = false;
      const rows = patched(this.#now.rows, this.#news, this.#states);
      this.#news.clear();
      this.#states.clear();
      if (rows !== this.#now.rows) this.#put({ rows });
    });
  }
}

function sizeAfter(rows: number): number {
  if (rows === 0) return FIRST;
  return rows < FAR ? FURTHER : LARGEST;
}

/** The newest page before what was there; if others came between, only that page. */
function joined(leaf: Leaf, now: Rolled): Pick<Rolled, "rows" | "next" | "lookedBackTo"> {
  const { items, next, lookedBackTo } = leaf;
  const oldest = items.at(-1)?.id ?? "";
  const kept = next === undefined ? [] : now.rows.filter((job) => job.id < oldest);
  const meets = now.rows.some((job) => job.id >= oldest);
  if (kept.length === 0 || !meets) return { rows: steady(items, now.rows), next, lookedBackTo };
  const rows = [...steady(items, now.rows), ...kept];
  return { rows, next: now.next, lookedBackTo: now.lookedBackTo };
}

/** The same rows as before where they say the same, so that they are not drawn again. */
function steady(items: readonly Job[], before: readonly Job[]): readonly Job[] {
  const known = new Map(before.slice(0, 2 * FIRST).map((job) => [job.id, job]));
  return items.map((job) => {
    const old = known.get(job.id);
    return old && same(old, job) ? old : job;
  });
}

/** Whether a row would look the same. */
function same(one: Job, other: Job): boolean {
  return (
    one.status === other.status &&
    one.attempts === other.attempts &&
    one.started_at === other.started_at &&
    one.scheduled_at === other.scheduled_at &&
    one.completed_at === other.completed_at &&
    one.cancel_requested === other.cancel_requested
  );
}

function patched(
  rows: readonly Job[],
  news: ReadonlyMap<string, Job>,
  states: ReadonlyMap<string, State>,
): readonly Job[] {
  let changed = false;
  const next = rows.map((job) => {
    const told = news.get(job.id) ?? stated(job, states.get(job.id));
    if (told === job || same(told, job)) return job;
    changed = true;
    return told;
  });
  return changed ? next : rows;
}

function stated(job: Job, status: State | undefined): Job {
  return status === undefined || status === job.status ? job : { ...job, status };
}

const MOST_KEPT = 5;
const rolls = new Map<string, Roll>();

/** The roll of a query: the same as before for who comes back to it. */
export function rollOf(wanted: Wanted): Roll {
  const key = JSON.stringify([wanted.status, wanted.q]);
  const roll = rolls.get(key) ?? new Roll(wanted);
  rolls.delete(key);
  rolls.set(key, roll);
  const [eldest] = rolls.keys();
  if (rolls.size > MOST_KEPT && eldest !== undefined) rolls.delete(eldest);
  return roll;
}
