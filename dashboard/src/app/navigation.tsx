/** The way to each page: at the left, and on a phone behind a button at the top. */
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation, useNavigate } from "@tanstack/react-router";
import { session } from "~/api/session";
import { stats } from "~/api/stats";
import { Button } from "~/components/button";
import { Icon } from "~/components/icon";
import { Menu } from "~/components/menu";
import { Number } from "~/components/number";
import { Keys } from "~/keys/key";
import { Account } from "./account";
import { openCommands } from "./commands";
import { PLACES, type Place } from "./places";
import { Pulse } from "./pulse";
import { useWide } from "./wide";

export function Navigation() {
  const places = usePlaces();
  return useWide() ? <Side places={places} /> : <Top places={places} />;
}

/** Without a mail sink there is no mail to read. */
function usePlaces(): readonly Place[] {
  const { data: links } = useQuery(session.links);
  return PLACES.filter((place) => place.to !== "/mail" || links?.["mail"]);
}

function Side({ places }: { places: readonly Place[] }) {
  return (
    <nav
      aria-label="Pages"
      className="flex w-56 shrink-0 flex-col gap-0.5 border-r border-line bg-sunken p-3"
    >
      <Link
        to="/"
        className="mb-2 flex items-center gap-2 rounded-md px-2 py-1 font-semibold tracking-tight"
      >
        <img src="./icon.svg" alt="" className="size-5" />
        Windlass
      </Link>
      <button
        type="button"
        onClick={openCommands}
        className="mb-3 flex h-8 items-center gap-2 rounded-md border border-line bg-panel px-2 text-sm text-faint shadow-xs hover:text-text"
      >
        <Icon name="search" />
        <span className="flex-1 text-left">Find…</span>
        <Keys keys="mod+k" />
      </button>
      {places.map((place) => (
        <Link
          key={place.to}
          to={place.to}
          activeOptions={{ exact: place.to === "/", includeSearch: false }}
          className="flex h-8 items-center gap-2.5 rounded-md border border-transparent px-2 text-sm font-medium text-soft hover:bg-hover hover:text-text aria-[current=page]:border-line aria-[current=page]:bg-panel aria-[current=page]:text-text aria-[current=page]:shadow-xs"
        >
          <Icon name={place.icon} />
          <span className="flex-1">{place.name}</span>
          {place.to === "/dead" && <Dead />}
        </Link>
      ))}
      <div className="mt-auto flex items-center justify-between">
        <Account />
        <Pulse />
      </div>
    </nav>
  );
}

function Top({ places }: { places: readonly Place[] }) {
  const go = useNavigate();
  const { pathname } = useLocation();
  const here = places.find((place) => isAt(pathname, place.to));
  const items = places.map((place) => ({
    label: place.name,
    icon: place.icon,
    checked: place === here,
    act: () => void go({ to: place.to }),
  }));
  return (
    <nav
      aria-label="Pages"
      className="flex h-12 shrink-0 items-center gap-1 border-b border-line bg-sunken px-2"
    >
      <Menu label="Pages" items={items} start>
        <img src="./icon.svg" alt="" className="size-5" />
        <span className="text-base">{here?.name ?? "Windlass"}</span>
        <Icon name="down" className="size-3.5 text-faint" />
      </Menu>
      <div className="ml-auto flex items-center">
        <Pulse />
        <Button kind="ghost" icon="search" aria-label="Find" onClick={openCommands} />
        <Account />
      </div>
    </nav>
  );
}

function isAt(pathname: string, place: string): boolean {
  return place === "/" ? pathname === "/" : pathname.startsWith(place);
}

function Dead() {
  const { data } = useQuery(stats.counts);
  if (!data?.failed) return null;
  return (
    <span className="rounded-full bg-failed-soft px-1.5 text-xs leading-5 text-failed">
      <Number value={data.failed} />
    </span>
  );
}
