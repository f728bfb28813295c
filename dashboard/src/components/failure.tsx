/** Something went wrong: what, and what to do about it. */
import { Problem } from "~/api/problem";
import { Button } from "./button";
import { Icon } from "./icon";

export function Failure({ error, again }: { error: unknown; again?: () => void }) {
  const problem = error instanceof Problem ? error : undefined;
  return (
    <div
      role="alert"
      className="mx-auto my-6 flex w-full max-w-xl gap-3 rounded-lg border border-line bg-panel p-4"
    >
      <Icon name="warning" className="mt-0.5 size-5 shrink-0 text-failed" />
      <div className="flex min-w-0 flex-col items-start gap-1">
        <h2 className="text-base">{problem?.title ?? "Something went wrong"}</h2>
        <p className="text-soft wrap-anywhere">{words(error)}</p>
        {problem?.requestId && (
          <p className="font-mono text-xs text-faint">request {problem.requestId}</p>
        )}
        {again && (
          <Button small className="mt-2" icon="retrying" onClick={again}>
            Try again
          </Button>
        )}
      </div>
    </div>
  );
}

/** The sentence that tells what went wrong. */
export function words(error: unknown): string {
  if (error instanceof Problem) return sentence(error.detail || error.title);
  return sentence(error instanceof Error ? error.message : String(error));
}

/** With a capital at its beginning, and an end. */
export function sentence(said: string): string {
  const begun = said.charAt(0).toUpperCase() + said.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}
