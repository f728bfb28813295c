/** What fails most, by type and by what the errors have in common. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { history, type Window } from "~/api/history";
import type { Group } from "~/api/shapes";
import { Icon } from "~/components/icon";
import { Number } from "~/components/number";
import { Panel } from "~/components/panel";
import { Skeletons } from "~/components/skeleton";
import { Time } from "~/components/time";

const MOST = 8;

export function Failing({ window }: { window: Window }) {
  const { data } = useQuery(history.failures(back(window)));
  return (
    <Panel title={`Failing most, last ${NAMES[back(window)]}`} flush>
      {!data && (
        <div className="p-4">
          <Skeletons rows={3} />
        </div>
      )}
      {data?.groups.length === 0 && (
        <p className="flex items-center gap-2 p-4 text-sm text-soft">
          <Icon name="completed" className="size-4 text-completed" />
          Nothing has failed.
        </p>
      )}
      <ul className="divide-y divide-line">
        {data?.groups.slice(0, MOST).map((group) => (
          <Row key={group.type + group.fingerprint} group={group} />
        ))}
      </ul>
    </Panel>
  );
}

const NAMES = { "1h": "hour", "1d": "day", "7d": "7 days" };

/** Failures are counted over an hour, a day or a week. */
function back(window: Window): keyof typeof NAMES {
  if (window === "7d") return "7d";
  return window === "6h" || window === "1d" ? "1d" : "1h";
}

function Row({ group }: { group: Group }) {
  return (
    <li>
      <Link
        to="/jobs"
        search={{ q: group.q }}
        className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 px-4 py-2 text-sm hover:bg-hover"
      >
        <span className="truncate font-medium">{group.type}</span>
        <span className="text-right font-semibold text-failed">
          <Number value={group.count} />
          <span className="sr-only"> failed attempts</span>
        </span>
        <span className="truncate font-mono text-xs leading-5 text-soft">
          {group.error?.split("\n")[0] ?? "no error was told"}
        </span>
        <span className="text-right text-xs leading-5 text-faint">
          <Time at={group.last_at} />
        </span>
      </Link>
    </li>
  );
}
