/** What stands around every page: where one is, where one can go, and whether the news flows. */
import { useQuery } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import { useEffect } from "react";
import { session } from "~/api/session";
import { Failure } from "~/components/failure";
import { startLive } from "~/live/live";
import { Away } from "./away";
import { Commands } from "./commands";
import { Navigation } from "./navigation";

export function Shell() {
  const me = useQuery(session.me);
  const known = me.data !== undefined;
  useEffect(() => {
    if (known) startLive();
  }, [known]);
  return (
    <div className="flex h-dvh flex-col md:flex-row">
      <a
        href="#main"
        className="sr-only z-50 rounded-md bg-accent px-3 py-2 text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
        onClick={(event) => {
          event.preventDefault();
          document.querySelector<HTMLElement>("#main")?.focus();
        }}
      >
        Skip to the page
      </a>
      <Navigation />
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <Away />
        <main id="main" tabIndex={-1} className="min-h-0 flex-1 overflow-y-auto outline-none">
          {me.isLoadingError ? (
            <Failure error={me.error} again={() => void me.refetch()} />
          ) : (
            <Outlet />
          )}
        </main>
      </div>
      <Commands />
    </div>
  );
}
