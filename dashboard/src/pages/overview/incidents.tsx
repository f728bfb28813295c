/** What is wrong now, in words, worst first. */
import { useQuery } from "@tanstack/react-query";
import { Link, type LinkProps } from "@tanstack/react-router";
import { incidents } from "~/api/incidents";
import type { Incident } from "~/api/shapes";
import { classes } from "~/components/classes";
import { sentence } from "~/components/failure";
import { Icon, type IconName } from "~/components/icon";
import { Time } from "~/components/time";
import { quoted } from "../jobs/words";

const LOOKS: Record<Incident["severity"], { icon: IconName; tint: string; words: string }> = {
  critical: { icon: "warning", tint: "bg-failed-soft text-failed", words: "Critical" },
  warning: { icon: "warning", tint: "bg-warning-soft text-warning", words: "Warning" },
  info: { icon: "info", tint: "bg-pending-soft text-pending", words: "Note" },
};

export function Incidents() {
  const { data } = useQuery(incidents.now);
  if (!data?.length) return null;
  return (
    <ul aria-label="What is wrong" className="flex flex-col gap-1.5">
      {data.map((incident) => (
        <li key={incident.kind + incident.about.name}>
          <Line incident={incident} />
        </li>
      ))}
    </ul>
  );
}

function Line({ incident }: { incident: Incident }) {
  const look = LOOKS[incident.severity];
  return (
    <Link
      {...where(incident)}
      className={classes(
        "flex items-start gap-2.5 rounded-lg px-3 py-2 text-sm hover:underline",
        look.tint,
      )}
    >
      <Icon name={look.icon} className="mt-0.5 size-4 shrink-0" />
      <span className="sr-only">{look.words}: </span>
      <span className="min-w-0 flex-1 wrap-anywhere text-text">{sentence(incident.sentence)}</span>
      {incident.since && (
        <span className="text-xs leading-5">
          <Time at={incident.since} />
        </span>
      )}
    </Link>
  );
}

/** The page on which one sees more of it. */
function where({ about }: Incident): LinkProps {
  switch (about.kind) {
    case "queue":
      return { to: "/queues" };
    case "worker":
    case "fleet":
      return { to: "/workers" };
    case "dead":
      return { to: "/dead" };
    case "type":
      return { to: "/jobs", search: { q: `type:${quoted(about.name)}` } };
    default:
      return { to: "/" };
  }
}
