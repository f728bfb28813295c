/** A moment: how long ago at a glance, exactly when one points at it. */
import { useChoices } from "~/theme/choices";
import { useNow } from "./clock";
import { absolute, relative, span } from "./words";

interface TimeProps {
  at: string | number | null | undefined;
  /** Show the exact time, and how long ago when one points at it. */
  exact?: boolean;
}

export function Time({ at, exact = false }: TimeProps) {
  const now = useNow();
  const { zone } = useChoices();
  if (at === null || at === undefined) return <span className="text-faint">–</span>;
  const moment = new Date(at).getTime();
  const [shown, hint] = [relative(moment, now), absolute(moment, zone)];
  return (
    <time
      dateTime={new Date(moment).toISOString()}
      title={exact ? shown : hint}
      className="whitespace-nowrap"
    >
      {exact ? hint : shown}
    </time>
  );
}

interface DurationProps {
  seconds: number | null | undefined;
  /** Or, in place of seconds: since when it lasts, up to now. */
  since?: string | null | undefined;
}

export function Duration({ seconds, since }: DurationProps) {
  if (seconds === null || seconds === undefined) {
    return since ? <Since at={since} /> : <span className="text-faint">–</span>;
  }
  return (
    <span title={`${seconds} s`} className="whitespace-nowrap">
      {span(seconds)}
    </span>
  );
}

function Since({ at }: { at: string }) {
  const now = useNow();
  const seconds = Math.max(Math.round((now - new Date(at).getTime()) / 1000), 0);
  return <span className="whitespace-nowrap">{span(seconds)}</span>;
}
