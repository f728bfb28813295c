/** The way to each page: at the left, and on a phone at the top. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { mail } from "~/api/mail";
import { session } from "~/api/session";
import { stats } from "~/api/stats";
import { classes } from "~/components/classes";
import { Icon } from "~/components/icon";
import { Number } from "~/components/number";
import { useFlow } from "~/live/live";
import type { Flow } from "~/live/stream";
import { Account } from "./account";
import { openCommands } from "./commands";
import { PLACES } from "./places";

export function Navigation() {
  return (
    <nav
      aria-label="Pages"
      className="flex shrink-0 items-center gap-1 border-line bg-sunken px-2 py-1.5 max-md:border-b md:w-52 md:flex-col md:items-stretch md:gap-0.5 md:border-r md:p-3"
    >
      <Link
        to="/"
        aria-label="Windlass"
        className="flex items-center gap-2 rounded-md px-2 py-1 font-semibold tracking-tight md:mb-3"
      >
        <img src="./icon.svg" alt="" className="size-5" />
        <span className="max-md:hidden">Windlass</span>
      </Link>
      <button
        type="button"
        onClick={openCommands}
        className="mb-3 flex h-8 items-center gap-2 rounded-md border border-line bg-panel px-2 text-sm text-faint shadow-xs hover:text-text max-md:hidden"
      >
        <Icon name="search" />
        <span className="flex-1 text-left">Find…</span>
        <kbd className="font-sans text-xs">Ctrl K</kbd>
      </button>
      <div className="flex min-w-0 flex-1 gap-0.5 overflow-x-auto [scrollbar-width:none] md:flex-col">
        {PLACES.map((place) => (
          <Place key={place.to} place={place} />
        ))}
      </div>
      <Pulse />
      <Account />
    </nav>
  );
}

function Place({ place }: { place: (typeof PLACES)[number] }) {
  const me = useQuery(session.me);
  const sink = useQuery({
    ...mail.all,
    retry: false,
    enabled: place.to === "/mail" && me.isSuccess,
  });
  // Without a mail sink there is no mail to read.
  if (place.to === "/mail" && !sink.isSuccess) return null;
  return (
    <Link
      to={place.to}
      aria-label={place.name}
      title={place.name}
      activeOptions={{ exact: place.to === "/", includeSearch: false }}
      className="flex h-8 shrink-0 items-center gap-2 rounded-md px-2 text-sm font-medium text-soft hover:bg-hover hover:text-text aria-[current=page]:bg-hover aria-[current=page]:text-text max-md:w-8 max-md:justify-center max-md:px-0"
    >
      <Icon name={place.icon} />
      <span className="flex-1 max-md:sr-only">{place.name}</span>
      {place.to === "/dead" && <Dead />}
    </Link>
  );
}

function Dead() {
  const { data } = useQuery(stats.counts);
  if (!data?.failed) return null;
  return (
    <span className="rounded-full bg-failed-soft px-1.5 text-xs text-failed max-md:hidden">
      <Number value={data.failed} />
    </span>
  );
}

const PULSES: Record<Flow, { words: string; dot: string }> = {
  live: { words: "Live", dot: "bg-completed" },
  polling: { words: "Every 5 s", dot: "bg-warning" },
  paused: { words: "Connecting", dot: "bg-line-strong" },
};

function Pulse() {
  const { words, dot } = PULSES[useFlow()];
  return (
    <span
      role="status"
      className="flex items-center gap-2 px-2 py-1 text-xs text-faint max-md:px-1"
      title="How news from the server comes"
    >
      <span aria-hidden="true" className={classes("size-2 rounded-full", dot)} />
      <span className="max-md:sr-only">{words}</span>
    </span>
  );
}
