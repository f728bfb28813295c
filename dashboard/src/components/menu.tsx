/** A button with a list of things to do. */
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { Button, type ButtonProps } from "./button";
import { classes } from "./classes";
import { Icon, type IconName } from "./icon";

export interface MenuItem {
  label: string;
  icon?: IconName;
  danger?: boolean;
  disabled?: boolean;
  /** One of several, and whether it is the one. */
  checked?: boolean;
  act: () => void;
}

interface MenuProps {
  /** What the button says. */
  label: string;
  items: readonly MenuItem[];
  icon?: IconName;
  button?: ButtonProps;
  /** Inside the button, in place of a picture with the label as its name. */
  children?: ReactNode;
  /** Opens above the button, at the foot of a page. */
  up?: boolean;
  /** Grows to the right, at the left of a page. */
  start?: boolean;
}

export function Menu({ label, items, icon = "more", button, children, up, start }: MenuProps) {
  const [open, setOpen] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const id = useId();

  useEffect(() => {
    if (!open) return;
    first(place.current)?.focus();
    const leave = (event: Event) => {
      if (!place.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener("pointerdown", leave);
    document.addEventListener("focusin", leave);
    return () => {
      document.removeEventListener("pointerdown", leave);
      document.removeEventListener("focusin", leave);
    };
  }, [open]);

  const close = () => {
    setOpen(false);
    place.current?.querySelector("button")?.focus();
  };

  return (
    <div ref={place} className="relative inline-flex">
      <Button
        kind="ghost"
        aria-label={children ? undefined : label}
        title={children ? undefined : label}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        {...(children ? {} : { icon })}
        {...button}
        onClick={() => setOpen(!open)}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") setOpen(true);
        }}
      >
        {children}
      </Button>
      {open && (
        <div
          id={id}
          role="menu"
          aria-label={label}
          tabIndex={-1}
          onKeyDown={(event) => walk(event, close)}
          className={classes(
            "absolute z-30 flex min-w-44 flex-col rounded-lg border border-line bg-raised p-1 shadow-raised",
            up ? "bottom-full mb-1" : "top-full mt-1",
            start ? "left-0" : "right-0",
          )}
        >
          {items.map((item) => (
            <Item key={item.label} item={item} close={close} />
          ))}
        </div>
      )}
    </div>
  );
}

function Item({ item, close }: { item: MenuItem; close: () => void }) {
  return (
    <button
      type="button"
      role={item.checked === undefined ? "menuitem" : "menuitemradio"}
      aria-checked={item.checked}
      disabled={item.disabled}
      tabIndex={-1}
      onClick={() => {
        close();
        item.act();
      }}
      className={classes(
        "flex h-8 items-center gap-2 rounded px-2 text-left text-sm whitespace-nowrap",
        "hover:bg-hover focus:bg-hover disabled:opacity-50",
        item.danger ? "text-failed" : "text-text",
      )}
    >
      {item.icon && <Icon name={item.icon} className="size-4 shrink-0 opacity-80" />}
      <span className="flex-1">{item.label}</span>
      {item.checked && <Icon name="completed" className="size-4 shrink-0 text-accent-text" />}
    </button>
  );
}

function all(menu: Element | null): HTMLElement[] {
  return [...(menu?.querySelectorAll<HTMLElement>("[role^=menuitem]:not(:disabled)") ?? [])];
}

function first(place: Element | null): HTMLElement | undefined {
  return all(place)[0];
}

function walk(event: KeyboardEvent<HTMLElement>, close: () => void): void {
  const items = all(event.currentTarget);
  const now = items.indexOf(document.activeElement as HTMLElement);
  const to: Record<string, number> = {
    ArrowDown: (now + 1) % items.length,
    ArrowUp: (now - 1 + items.length) % items.length,
    Home: 0,
    End: items.length - 1,
  };
  const next = to[event.key];
  event.stopPropagation();
  if (event.key === "Escape") close();
  if (next === undefined) return;
  event.preventDefault();
  items[next]?.focus();
}
