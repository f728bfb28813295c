/** What every page has: a title, what can be done there, and its contents. */
import { useEffect, type ReactNode } from "react";
import { classes } from "~/components/classes";

interface PageProps {
  title: string;
  /** In place of the title where it shows; the title still names the tab. */
  heading?: ReactNode;
  /** What can be done here, at the right of the title. */
  actions?: ReactNode;
  /** As high as the window, for lists that scroll by themselves. */
  whole?: boolean;
  children: ReactNode;
}

export function Page({ title, heading, actions, whole = false, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Windlass`;
  }, [title]);
  return (
    <div
      className={classes(
        "mx-auto flex w-full max-w-[96rem] flex-col gap-4 px-4 py-4 sm:px-6 sm:py-5",
        whole && "h-full min-h-0",
      )}
    >
      <header className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-2">
        <h1 className="min-w-0 text-xl">{heading ?? title}</h1>
        <div className="ml-auto flex items-center gap-2">{actions}</div>
      </header>
      {children}
    </div>
  );
}
