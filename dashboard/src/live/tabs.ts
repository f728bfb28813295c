/**
 * One stream for all tabs: a tab that is seen leads and listens, and tells the others what it hears.
 *
 * A hidden tab gives the lead away; if all are hidden, nobody listens.
 */
import { ROOT } from "~/api/client";
import { listen, type Flow, type News } from "./stream";

type Said =
  | { kind: "news"; news: News }
  | { kind: "flow"; flow: Flow }
  | { kind: "poll" }
  | { kind: "who" } // asked by who leads from now on: who wants what?
  | { kind: "wants"; tab: string; jobs: readonly string[] }
  | { kind: "bye"; tab: string };

interface Hears {
  news: (news: News) => void;
  flow: (flow: Flow) => void;
  poll: () => void;
}

// Wants that change one after the other are heeded together.
const TOGETHER_MS = 50;
const LOCK = `windlass.live ${ROOT.pathname}`;

export class Tabs {
  readonly #tab = Math.random().toString(36).slice(2);
  readonly #channel = new BroadcastChannel(LOCK);
  readonly #wants = new Map<string, readonly string[]>();
  #jobs: readonly string[] = [];
  #leading = false;
  #listening: { jobs: string; stop: () => void } | undefined;
  #flow: Flow = "paused";
  #giveUp: (() => void) | undefined;
  #soon: ReturnType<typeof setTimeout> | undefined;
  readonly #hears: Hears;

  constructor(hears: Hears) {
    this.#hears = hears;
    this.#channel.addEventListener("message", ({ data }: MessageEvent<Said>) => this.#heard(data));
    document.addEventListener("visibilitychange", () => this.#look());
    addEventListener("pagehide", () => this.#rest());
    addEventListener("pageshow", () => this.#look());
    this.#look();
  }

  /** Which jobs this tab wants to hear of. */
  want(jobs: readonly string[]): void {
    this.#jobs = jobs;
    if (!document.hidden) this.#say({ kind: "wants", tab: this.#tab, jobs });
  }

  #look(): void {
    if (document.hidden) this.#rest();
    else this.#rise();
  }

  #rise(): void {
    this.#say({ kind: "wants", tab: this.#tab, jobs: this.#jobs });
    if (this.#giveUp) return;
    const giving = new AbortController();
    const given = new Promise<void>((resolve) => {
      this.#giveUp = () => {
        giving.abort();
        resolve();
      };
    });
    // A page that did not come by https has no locks; each such tab listens by itself.
    if (!navigator.locks) {
      void this.#lead(given);
      return;
    }
    navigator.locks
      .request(LOCK, { signal: giving.signal }, () => this.#lead(given))
      .catch(() => {}); // it was given up before it was had
  }

  #rest(): void {
    this.#giveUp?.();
    this.#giveUp = undefined;
    this.#say({ kind: "bye", tab: this.#tab });
    this.#hears.flow("paused");
  }

  async #lead(given: Promise<void>): Promise<void> {
    this.#leading = true;
    this.#wants.clear();
    this.#wants.set(this.#tab, this.#jobs);
    this.#say({ kind: "who" });
    this.#listenSoon();
    await given;
    this.#leading = false;
    clearTimeout(this.#soon);
    this.#listening?.stop();
    this.#listening = undefined;
  }

  #listenSoon(): void {
    clearTimeout(this.#soon);
    this.#soon = setTimeout(() => this.#listen(), TOGETHER_MS);
  }

  #listen(): void {
    const jobs = [...new Set([...this.#wants.values()].flat())].toSorted();
    if (this.#listening?.jobs === jobs.join()) return;
    this.#listening?.stop();
    const stop = listen(jobs, {
      hear: (news) => this.#say({ kind: "news", news }),
      flow: (flow) => this.#say({ kind: "flow", flow }),
      poll: () => this.#say({ kind: "poll" }),
    });
    this.#listening = { jobs: jobs.join(), stop };
  }

  /** To the other tabs, and to ourselves. */
  #say(said: Said): void {
    this.#channel.postMessage(said);
    this.#heard(said);
  }

  #heard(said: Said): void {
    switch (said.kind) {
      case "news":
        return this.#hears.news(said.news);
      case "poll":
        return this.#hears.poll();
      case "flow":
        this.#flow = said.flow;
        return document.hidden ? undefined : this.#hears.flow(said.flow);
      case "who":
        if (!this.#leading && !document.hidden) {
          this.#channel.postMessage({ kind: "wants", tab: this.#tab, jobs: this.#jobs });
        }
        return;
      case "wants":
        if (!this.#leading) return;
        this.#wants.set(said.tab, said.jobs);
        if (said.tab !== this.#tab) this.#channel.postMessage({ kind: "flow", flow: this.#flow });
        return this.#listenSoon();
      case "bye":
        if (!this.#leading) return;
        this.#wants.delete(said.tab);
        return this.#listenSoon();
    }
  }
}
