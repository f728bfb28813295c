/** What keys and the palette can do on every page. */
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState, useSyncExternalStore } from "react";
import { Help } from "~/keys/help";
import { useKeys } from "~/keys/keys";
import { Palette, type Deed } from "~/keys/palette";
import { choose } from "~/theme/choices";
import { PLACES } from "./places";

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

let open = false;
const listeners = new Set<() => void>();

function put(now: boolean): void {
  open = now;
  for (const listener of listeners) listener();
}

export function openCommands(): void {
  put(true);
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Commands() {
  const shown = useSyncExternalStore(listen, () => open);
  const [help, setHelp] = useState(false);
  const go = useNavigate();

  useKeys([
    { keys: "mod+k", does: "Find a page or a command", act: () => put(!open), always: true },
    { keys: "?", does: "Show these keys", act: () => setHelp(true) },
    { keys: "/", does: "Search", act: focusSearch },
    ...PLACES.map((place) => ({
      keys: `g ${place.key}`,
      does: `Go to ${place.name}`,
      act: () => void go({ to: place.to }),
    })),
  ]);

  const deeds = useMemo<Deed[]>(
    () => [
      ...PLACES.map((place) => ({
        label: place.name,
        icon: place.icon,
        keys: `g ${place.key}`,
        act: () => void go({ to: place.to }),
      })),
      { label: "Light theme", icon: "sun", act: () => choose({ theme: "light" }) },
      { label: "Dark theme", icon: "moon", act: () => choose({ theme: "dark" }) },
      { label: "Theme of the system", icon: "screen", act: () => choose({ theme: "system" }) },
      { label: "Show the keys", icon: "keyboard", keys: "?", act: () => setHelp(true) },
    ],
    [go],
  );
  const more = useMemo(
    () =>
      (typed: string): Deed[] => {
        const said = typed.trim();
        if (!said) return [];
        if (ID.test(said)) {
          const act = () => void go({ to: "/jobs/$jobId", params: { jobId: said } });
          return [{ label: `Open job ${said}`, icon: "jobs", act }];
        }
        const act = () => void go({ to: "/jobs", search: { q: said } });
        return [{ label: `Search jobs for ${said}`, icon: "search", act }];
      },
    [go],
  );

  return (
    <>
      <Palette open={shown} onClose={() => put(false)} deeds={deeds} more={more} />
      <Help open={help} onClose={() => setHelp(false)} />
    </>
  );
}

/** To the search of the page, if it has one; else to the one that finds everything. */
function focusSearch(): void {
  const search = document.querySelector<HTMLInputElement>("#main input[type=search]");
  if (search) search.focus();
  else put(true);
}
