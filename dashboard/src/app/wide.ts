/** Whether there is room for the navigation beside the page. */
import { useSyncExternalStore } from "react";

const wide = matchMedia("(width >= 48rem)");

function listen(listener: () => void): () => void {
  wide.addEventListener("change", listener);
  return () => wide.removeEventListener("change", listener);
}

export function useWide(): boolean {
  return useSyncExternalStore(listen, () => wide.matches);
}
