/** There are no jobs to show: why, and what to do about it. */
import { Button } from "~/components/button";
import { Empty } from "~/components/empty";
import { LOOKS } from "~/components/state";
import type { State } from "~/api/shapes";
import { Searched } from "./searched";
import type { Asked } from "./words";

const FIRST_JOB = `windlass enqueue add_numbers '{"x": 2, "y": 3}'`;
const EXAMPLES = [
  { q: "type:email age:<1h", tells: "mails of the last hour" },
  { q: "payload.user:42", tells: "whose payload says that user is 42" },
  { q: 'error:"timed out"', tells: "with these words in their error" },
];

const QUIET: Record<State, string> = {
  pending: "Nobody waits in line: workers keep up.",
  scheduled: "Jobs that are due later, and those that wait for their next attempt, show up here.",
  running: "No worker is busy at the moment.",
  completed: "What ends well shows up here, with its result.",
  failed:
    "Nothing has failed for good. Jobs that use up their attempts are kept here as dead letters, and can be tried again.",
  cancelled: "Jobs that somebody cancels show up here, and can be put back in line.",
};

// What jobs do; the other states are what they are.
const ENDS: ReadonlySet<State> = new Set(["completed", "failed"]);

interface NothingProps {
  asked: Asked;
  lookedBackTo: string | undefined;
  onMore: () => void;
  onAsk: (q: string) => void;
}

export function Nothing({ asked, lookedBackTo, onMore, onAsk }: NothingProps) {
  if (lookedBackTo !== undefined) {
    return (
      <Empty icon="search" title="Nothing found so far">
        <Searched backTo={lookedBackTo} onMore={onMore} />
      </Empty>
    );
  }
  if (asked.q !== undefined) return <Examples title="No job matches" onAsk={onAsk} />;
  if (asked.status !== undefined) {
    const look = LOOKS[asked.status];
    return (
      <Empty
        icon={look.icon}
        title={`No job ${ENDS.has(asked.status) ? "has" : "is"} ${look.label.toLowerCase()}`}
      >
        <p>{QUIET[asked.status]}</p>
      </Empty>
    );
  }
  return (
    <Empty icon="jobs" title="No job yet" command={FIRST_JOB}>
      <p>Put the first one in, from a shell or from Submit on the left:</p>
    </Empty>
  );
}

export function Examples({ title, onAsk }: { title: string; onAsk: (q: string) => void }) {
  return (
    <Empty icon="search" title={title}>
      <p>Each word narrows the answer down. For example:</p>
      <ul className="mt-3 flex flex-col gap-1 text-left">
        {EXAMPLES.map(({ q, tells }) => (
          <li key={q} className="flex flex-wrap items-center gap-x-2">
            <Button small kind="ghost" className="font-mono text-xs!" onClick={() => onAsk(q)}>
              {q}
            </Button>
            <span className="text-sm text-faint max-sm:pl-2">{tells}</span>
          </li>
        ))}
      </ul>
    </Empty>
  );
}
