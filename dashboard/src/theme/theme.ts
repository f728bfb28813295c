/** The theme that shows: the chosen one, or that of the system as long as none is chosen. */
import { useSyncExternalStore } from "react";
import { choices, onChoice } from "./choices";

const dark = matchMedia("(prefers-color-scheme: dark)");

export function shown(): "light" | "dark" {
  const { theme } = choices();
  if (theme !== "system") return theme;
  return dark.matches ? "dark" : "light";
}

export function keepTheme(): void {
  const put = () => {
    document.documentElement.dataset.theme = shown();
  };
  put();
  onChoice(put);
  dark.addEventListener("change", put);
}

function onChange(listener: () => void): () => void {
  const stop = onChoice(listener);
  dark.addEventListener("change", listener);
  return () => {
    stop();
    dark.removeEventListener("change", listener);
  };
}

export function useTheme(): "light" | "dark" {
  return useSyncExternalStore(onChange, shown);
}
