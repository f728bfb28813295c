/** The pages that one can go to, in the order of the navigation. */
import type { IconName } from "~/components/icon";

export const PLACES = [
  { to: "/", name: "Overview", icon: "overview", key: "o" },
  { to: "/jobs", name: "Jobs", icon: "jobs", key: "j" },
  { to: "/dead", name: "Dead letters", icon: "dead", key: "d" },
  { to: "/queues", name: "Queues", icon: "queues", key: "q" },
  { to: "/workers", name: "Workers", icon: "workers", key: "w" },
  { to: "/submit", name: "Submit", icon: "submit", key: "s" },
  { to: "/mail", name: "Mail", icon: "mail", key: "m" },
  { to: "/people", name: "Users and tokens", icon: "people", key: "u" },
] as const satisfies readonly { to: string; name: string; icon: IconName; key: string }[];

export type Place = (typeof PLACES)[number];
