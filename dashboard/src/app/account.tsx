/** Who one is, what one has chosen, and the way out. */
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { logOut, session } from "~/api/session";
import { ROOT } from "~/api/client";
import { Icon, type IconName } from "~/components/icon";
import { Menu, type MenuItem } from "~/components/menu";
import { sayProblem } from "~/components/toast";
import { useWide } from "./wide";
import { choose, useChoices, type Theme } from "~/theme/choices";

const THEMES: readonly { theme: Theme; label: string; icon: IconName }[] = [
  { theme: "system", label: "Theme of the system", icon: "screen" },
  { theme: "light", label: "Light theme", icon: "sun" },
  { theme: "dark", label: "Dark theme", icon: "moon" },
];

export function Account() {
  const { data: me } = useQuery(session.me);
  const { theme, zone } = useChoices();
  const wide = useWide();
  const go = useNavigate();
  const leave = () => {
    logOut().then(() => go({ to: "/login" }), sayProblem);
  };
  const items: MenuItem[] = [
    ...THEMES.map((one) => ({
      label: one.label,
      icon: one.icon,
      checked: one.theme === theme,
      act: () => choose({ theme: one.theme }),
    })),
    {
      label: "Times in UTC",
      icon: "clock",
      checked: zone === "utc",
      act: () => choose({ zone: zone === "utc" ? "local" : "utc" }),
    },
    { label: "API documentation", icon: "link", act: () => location.assign(new URL("docs", ROOT)) },
    ...(me?.by === "session" ? [{ label: "Log out", icon: "leave" as const, act: leave }] : []),
  ];
  return (
    <Menu label="Account and settings" items={items} up={wide} start={wide}>
      <Icon name="people" />
      <span className="max-w-24 truncate max-md:sr-only">
        <span className="sr-only">Account and settings of </span>
        {me?.user ?? "…"}
      </span>
    </Menu>
  );
}
