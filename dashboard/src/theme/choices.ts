/** What the person in front of the browser has chosen: kept there, and the same in every tab. */
import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";
export type Zone = "local" | "utc";

export interface Choices {
  theme: Theme;
  zone: Zone;
}

const PLACE = "windlass.choices";
const DEFAULT: Choices = { theme: "system", zone: "local" };

let current = read();
const listeners = new Set<() => void>();

function read(): Choices {
  try {
    return { ...DEFAULT, ...(JSON.parse(localStorage.getItem(PLACE) ?? "{}") as Partial<Choices>) };
  } catch {
    return DEFAULT;
  }
}

function tell(): void {
  for (const listener of listeners) listener();
}

export function choose(change: Partial<Choices>): void {
  current = { ...current, ...change };
  try {
    localStorage.setItem(PLACE, JSON.stringify(current));
  } catch {
    // Without a place to keep it, the choice lasts as long as the page.
  }
  tell();
}

export function choices(): Choices {
  return current;
}

export function onChoice(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useChoices(): Choices {
  return useSyncExternalStore(onChoice, choices);
}

addEventListener("storage", (event) => {
  if (event.key !== PLACE) return;
  current = read();
  tell();
});
