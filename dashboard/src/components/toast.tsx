/** Short words about what was just done; told to screen readers too, and gone after a while. */
import { useEffect, useSyncExternalStore } from "react";
import { Button } from "./button";
import { classes } from "./classes";
import { words } from "./failure";
import { Icon } from "./icon";

interface Said {
  id: number;
  text: string;
  bad: boolean;
  action?: { label: string; act: () => void };
}

const LASTS = 5_000;
const MOST = 4;

let said: readonly Said[] = [];
let next = 0;
const listeners = new Set<() => void>();

function put(change: readonly Said[]): void {
  said = change;
  for (const listener of listeners) listener();
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Say something: `say("Retried 3 jobs")`, with an action such as undo if there is one. */
export function say(text: string, action?: Said["action"]): void {
  next += 1;
  put([...said, { id: next, text, bad: false, ...(action && { action }) }].slice(-MOST));
}

/** Say what went wrong: fit for `onError` of any mutation. */
export function sayProblem(error: unknown): void {
  next += 1;
  put([...said, { id: next, text: words(error), bad: true }].slice(-MOST));
}

function forget(id: number): void {
  put(said.filter((one) => one.id !== id));
}

/** Where it is said; once in the whole application. */
export function Toasts() {
  const shown = useSyncExternalStore(listen, () => said);
  return (
    <div
      role="status"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-4 bottom-4 z-50 flex flex-col items-center gap-2 sm:left-auto sm:items-end"
    >
      {shown.map((one) => (
        <Toast key={one.id} said={one} />
      ))}
    </div>
  );
}

function Toast({ said: { id, text, bad, action } }: { said: Said }) {
  useEffect(() => {
    const timer = setTimeout(() => forget(id), bad ? 2 * LASTS : LASTS);
    return () => clearTimeout(timer);
  }, [id, bad]);
  return (
    <div className="pointer-events-auto flex max-w-md items-center gap-2 rounded-lg border border-line bg-raised py-1.5 pr-1.5 pl-3 text-sm shadow-raised">
      <Icon
        name={bad ? "warning" : "completed"}
        className={classes("size-4 shrink-0", bad ? "text-failed" : "text-completed")}
      />
      <span className="min-w-0 wrap-anywhere">{text}</span>
      {action && (
        <Button
          kind="ghost"
          small
          onClick={() => {
            forget(id);
            action.act();
          }}
        >
          {action.label}
        </Button>
      )}
      <Button kind="ghost" small icon="close" aria-label="Dismiss" onClick={() => forget(id)} />
    </div>
  );
}
