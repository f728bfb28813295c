/** Ctrl-K: type a few letters, and go there or do it. */
import { useId, useMemo, useState, type KeyboardEvent } from "react";
import { classes } from "~/components/classes";
import { Sheet } from "~/components/dialog";
import { Icon, type IconName } from "~/components/icon";
import { Keys } from "./key";

export interface Deed {
  label: string;
  icon: IconName;
  keys?: string;
  act: () => void;
}

interface PaletteProps {
  open: boolean;
  onClose: () => void;
  deeds: readonly Deed[];
  /** What else can be done with what was typed, as to look for it. */
  more: (typed: string) => readonly Deed[];
}

export function Palette({ open, onClose, deeds, more }: PaletteProps) {
  return (
    <Sheet open={open} onClose={onClose} label="Commands" top>
      <Finder onClose={onClose} deeds={deeds} more={more} />
    </Sheet>
  );
}

function Finder({ onClose, deeds, more }: Omit<PaletteProps, "open">) {
  const id = useId();
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const found = useMemo(() => [...matching(deeds, typed), ...more(typed)], [deeds, more, typed]);

  const act = (deed: Deed | undefined) => {
    if (!deed) return;
    onClose();
    deed.act();
  };
  const walk = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") act(found[at]);
    if (step === undefined || found.length === 0) return;
    event.preventDefault();
    setAt((at + step + found.length) % found.length);
  };

  return (
    <>
      <div className="flex items-center gap-2 border-b border-line px-4 focus-within:border-accent">
        <Icon name="search" className="size-4 shrink-0 text-faint" />
        <input
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- it was opened to type into
          autoFocus
          role="combobox"
          aria-label="Go to a page, do something, or find a job"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={found.length > 0 ? `${id}-${at}` : undefined}
          placeholder="Go to a page, do something, or find a job"
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setAt(0);
          }}
          onKeyDown={walk}
          className="h-12 min-w-0 flex-1 bg-transparent text-base outline-none!"
        />
      </div>
      <ul id={`${id}-list`} role="listbox" aria-label="Commands" className="overflow-y-auto p-1">
        {found.map((deed, place) => (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the input has the keys
          <li
            key={deed.label}
            id={`${id}-${place}`}
            role="option"
            aria-selected={place === at}
            onClick={() => act(deed)}
            onPointerMove={() => setAt(place)}
            className={classes(
              "flex h-9 cursor-pointer items-center gap-3 rounded-md px-3 text-sm",
              place === at && "bg-hover",
            )}
          >
            <Icon name={deed.icon} className="size-4 shrink-0 text-faint" />
            <span className="min-w-0 flex-1 truncate">{deed.label}</span>
            {deed.keys && <Keys keys={deed.keys} />}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Those that have every word that was typed, somewhere. */
function matching(deeds: readonly Deed[], typed: string): Deed[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return deeds.filter((deed) => words.every((word) => deed.label.toLowerCase().includes(word)));
}
