/** When and how a job shall run; what is left empty is as its type says. */
import type { JobType, Submission } from "~/api/shapes";
import { Input, Select } from "~/components/field";
import { number } from "~/components/words";

export type When = "now" | "delay" | "at";

export interface Options {
  name: string;
  queue: string;
  priority: string;
  threads: string;
  key: string;
  when: When;
  delay: string;
  at: string;
}

export const NO_OPTIONS: Options = {
  name: "",
  queue: "",
  priority: "",
  threads: "",
  key: "",
  when: "now",
  delay: "60",
  at: "",
};

/** What of it goes into a submission. */
export function told(options: Options): Partial<Submission> {
  return {
    ...(options.name && { name: options.name }),
    ...(options.queue && { queue: options.queue }),
    ...(options.priority && { priority: parseInt(options.priority, 10) }),
    ...(options.threads && { thread_demand: parseInt(options.threads, 10) }),
    ...(options.key && { idempotency_key: options.key }),
    ...(options.when === "delay" && { delay: parseFloat(options.delay) }),
    ...(options.when === "at" &&
      options.at && { scheduled_at: new Date(options.at).toISOString() }),
  };
}

interface OptionsProps {
  type: JobType;
  options: Options;
  onChange: (options: Options) => void;
}

export function OptionFields({ type, options, onChange }: OptionsProps) {
  const put = (change: Partial<Options>) => onChange({ ...options, ...change });
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Input
        label="Name"
        hint="To find it by"
        value={options.name}
        onChange={(event) => put({ name: event.target.value })}
      />
      <Input
        label="Queue"
        placeholder={type.queue}
        value={options.queue}
        onChange={(event) => put({ queue: event.target.value })}
      />
      <Input
        label="Priority"
        hint="Higher comes first"
        type="number"
        placeholder={number(type.priority)}
        value={options.priority}
        onChange={(event) => put({ priority: event.target.value })}
      />
      <Input
        label="Threads"
        hint="How many it is granted while it runs"
        type="number"
        min={0}
        placeholder={number(type.thread_demand)}
        value={options.threads}
        onChange={(event) => put({ threads: event.target.value })}
      />
      <Input
        label="Idempotency key"
        hint="Submitted again with the same key, it stays one job"
        value={options.key}
        onChange={(event) => put({ key: event.target.value })}
      />
      <Select
        label="When"
        value={options.when}
        onChange={(event) => put({ when: event.target.value as When })}
      >
        <option value="now">As soon as possible</option>
        <option value="delay">After a while</option>
        <option value="at">At a time</option>
      </Select>
      <Later options={options} put={put} />
    </div>
  );
}

function Later({ options, put }: { options: Options; put: (change: Partial<Options>) => void }) {
  if (options.when === "delay") {
    return (
      <Input
        label="Seconds from now"
        type="number"
        min={0}
        step="any"
        required
        value={options.delay}
        onChange={(event) => put({ delay: event.target.value })}
      />
    );
  }
  if (options.when === "at") {
    return (
      <Input
        label="Time, as on this clock"
        type="datetime-local"
        step={1}
        required
        value={options.at}
        onChange={(event) => put({ at: event.target.value })}
      />
    );
  }
  return null;
}
