/** Says that the server does not answer, and of when the page is that one still sees. */
import { useAway } from "~/api/reach";
import { Icon } from "~/components/icon";
import { clockTime } from "~/components/words";
import { useChoices } from "~/theme/choices";

export function Away() {
  const since = useAway();
  const { zone } = useChoices();
  if (since === undefined) return null;
  return (
    <p
      role="alert"
      className="flex items-center gap-2 border-b border-line bg-failed-soft px-4 py-2 text-sm sm:px-6"
    >
      <Icon name="warning" className="size-4 shrink-0 text-failed" />
      The server does not answer. What you see is as it was at {clockTime(since, zone)}; we keep
      trying.
    </p>
  );
}
