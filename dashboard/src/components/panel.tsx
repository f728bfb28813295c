/** A part of a page with a heading of its own. */
import { useId, type ReactNode } from "react";
import { classes } from "./classes";

interface PanelProps {
  title: string;
  /** What stands at the right of the heading. */
  aside?: ReactNode;
  /** Without room at its edges, for lists and tables. */
  flush?: boolean;
  className?: string;
  children: ReactNode;
}

export function Panel({ title, aside, flush = false, className, children }: PanelProps) {
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      className={classes("min-w-0 rounded-lg border border-line bg-panel", className)}
    >
      <header className="flex min-h-11 items-center gap-2 px-4 py-1.5">
        <h2 id={id} className="text-sm font-semibold">
          {title}
        </h2>
        <div className="ml-auto flex items-center gap-1">{aside}</div>
      </header>
      <div className={flush ? "border-t border-line" : "px-4 pb-4"}>{children}</div>
    </section>
  );
}
