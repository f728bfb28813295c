/** How far back a search has looked: it stops before it keeps anybody waiting. */
import { Button } from "~/components/button";
import { useNow } from "~/components/clock";
import { absolute, clockTime } from "~/components/words";
import { useChoices } from "~/theme/choices";

const DAY_MS = 86_400_000;

interface SearchedProps {
  backTo: string;
  onMore: () => void;
  busy?: boolean;
}

export function Searched({ backTo, onMore, busy = false }: SearchedProps) {
  const { zone } = useChoices();
  const now = useNow();
  const at = new Date(backTo).getTime();
  return (
    <div className="flex flex-wrap items-center justify-center gap-2 py-3 text-sm text-soft">
      <span title={absolute(at, zone)}>
        Searched back to {now - at < DAY_MS ? clockTime(at, zone) : absolute(at, zone)}
      </span>
      <Button small busy={busy} onClick={onMore}>
        Go on
      </Button>
    </div>
  );
}
