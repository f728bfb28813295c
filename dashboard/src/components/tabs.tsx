/** Several views in one place, of which one shows. */
import { useEffect, useId, useRef, type KeyboardEvent, type ReactNode } from "react";
import { classes } from "./classes";

const GAP = 64;

export interface Tab<K extends string> {
  key: K;
  title: ReactNode;
}

interface TabsProps<K extends string> {
  label: string;
  tabs: readonly Tab<K>[];
  active: K;
  onChange: (key: K) => void;
  /** What the active tab shows; without it only the tabs are there. */
  children?: ReactNode;
}

export function Tabs<K extends string>({ label, tabs, active, onChange, children }: TabsProps<K>) {
  const id = useId();
  const place = useRef<HTMLDivElement>(null);

  // On a phone there is not always room for all: the active one is in sight.
  useEffect(() => {
    const tab = place.current?.querySelector<HTMLElement>("[aria-selected=true]");
    if (place.current && tab) place.current.scrollLeft = tab.offsetLeft - GAP;
  }, [active]);

  const walk = (event: KeyboardEvent) => {
    const now = tabs.findIndex((tab) => tab.key === active);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const next = (now + step + tabs.length) % tabs.length;
    const to = tabs[next];
    if (to) onChange(to.key);
    place.current?.querySelectorAll<HTMLElement>("[role=tab]")[next]?.focus();
  };

  return (
    <>
      <div
        ref={place}
        role="tablist"
        aria-label={label}
        tabIndex={-1}
        onKeyDown={walk}
        className="relative flex gap-4 overflow-x-auto border-b border-line [scrollbar-width:none]"
      >
        {tabs.map((tab) => (
          <button
            key={tab.key}
            id={`${id}-${tab.key}`}
            type="button"
            role="tab"
            aria-selected={tab.key === active}
            aria-controls={children ? `${id}-panel` : undefined}
            tabIndex={tab.key === active ? 0 : -1}
            onClick={() => onChange(tab.key)}
            className={classes(
              "-mb-px inline-flex h-9 shrink-0 items-center gap-1.5 border-b-2 text-sm font-medium -outline-offset-2",
              tab.key === active
                ? "border-accent text-text"
                : "border-transparent text-soft hover:text-text",
            )}
          >
            {tab.title}
          </button>
        ))}
      </div>
      {children && (
        <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${active}`}>
          {children}
        </div>
      )}
    </>
  );
}
