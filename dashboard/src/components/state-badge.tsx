/** A job's state: as a colour, as a picture and as a word. */
import { classes } from "./classes";
import { Icon } from "./icon";
import { LOOKS, type Standing } from "./state";

export function StateBadge({ state, quiet }: { state: Standing; quiet?: boolean }) {
  const look = LOOKS[state];
  return (
    <span
      data-state={state}
      className={classes(
        "inline-flex h-5 items-center gap-1 rounded-full text-xs font-medium whitespace-nowrap",
        quiet ? look.text : classes("px-2", look.badge),
      )}
    >
      <Icon
        name={look.icon}
        className={classes("size-3 shrink-0", state === "running" && "animate-spin")}
      />
      {look.label}
    </span>
  );
}
