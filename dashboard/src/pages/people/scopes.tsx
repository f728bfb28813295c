/** What somebody may do, as boxes to tick. */
import type { Scope } from "~/api/shapes";
import { Checkbox } from "~/components/field";

const SCOPES: readonly { scope: Scope; means: string }[] = [
  { scope: "jobs:read", means: "see jobs, queues and workers" },
  { scope: "jobs:write", means: "submit, retry, cancel, pause" },
  { scope: "admin", means: "everything, users and tokens too" },
];

interface ScopesProps {
  value: readonly Scope[];
  onChange: (value: Scope[]) => void;
}

export function Scopes({ value, onChange }: ScopesProps) {
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1 text-sm font-medium">May</legend>
      {SCOPES.map(({ scope, means }) => (
        <Checkbox
          key={scope}
          checked={value.includes(scope)}
          onChange={(event) => onChange(turned(value, scope, event.target.checked))}
          label={
            <span>
              <code className="font-mono text-xs">{scope}</code>{" "}
              <span className="text-faint">{means}</span>
            </span>
          }
        />
      ))}
    </fieldset>
  );
}

function turned(value: readonly Scope[], scope: Scope, on: boolean): Scope[] {
  return on ? [...value, scope] : value.filter((one) => one !== scope);
}
