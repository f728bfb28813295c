/** The live stream, as pages see it. */
import { useEffect, useRef, useSyncExternalStore } from "react";
import { askAgain, feed } from "./feed";
import type { Flow, News } from "./stream";
import { Tabs } from "./tabs";

type Hearer = (news: News) => void;

const hearers = new Set<Hearer>();
const watchers = new Set<() => void>();
const watched = new Map<symbol, readonly string[]>();
let flow: Flow = "paused";
let tabs: Tabs | undefined;

/** Begin to listen; once somebody is known to sit in front of the browser. */
export function startLive(): void {
  tabs ??= new Tabs({
    news: (news) => {
      feed(news);
      for (const hearer of hearers) hearer(news);
    },
    flow: (now) => {
      if (flow !== "live" && now === "live") askAgain(); // whatever was missed
      flow = now;
      for (const watcher of watchers) watcher();
    },
    poll: askAgain,
  });
  tell();
}

function tell(): void {
  tabs?.want([...new Set([...watched.values()].flat())]);
}

/** Whether the news comes at once. */
export function useFlow(): Flow {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => flow,
  );
}

/** Hear of these jobs as they change: `["job", id]` in the cache is kept fresh. */
export function useWatch(ids: readonly string[]): void {
  const joined = ids.join();
  useEffect(() => {
    const mine = Symbol("watch");
    if (joined) watched.set(mine, joined.split(","));
    tell();
    return () => {
      watched.delete(mine);
      tell();
    };
  }, [joined]);
}

/** Hear every piece of news of this name, as it comes. */
export function useNews(event: string, hear: (data: unknown) => void): void {
  const latest = useRef(hear);
  useEffect(() => {
    latest.current = hear;
  });
  useEffect(() => {
    const hearer: Hearer = (news) => {
      if (news.event === event) latest.current(news.data);
    };
    hearers.add(hearer);
    return () => {
      hearers.delete(hearer);
    };
  }, [event]);
}
