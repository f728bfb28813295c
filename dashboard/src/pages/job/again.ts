/** A job as one would submit it again: by curl, by the command line, in Python. */
import type { Job } from "~/api/shapes";

const DEFAULT_QUEUE = "default";

interface Option {
  name: "queue" | "priority" | "thread_demand" | "name";
  value: string | number;
}

export function asCurl(job: Job, root: string, guarded: boolean): string {
  const options = Object.fromEntries(optionsOf(job).map(({ name, value }) => [name, value]));
  const body = JSON.stringify({ type: job.type, payload: job.payload, ...options });
  const token = guarded ? ` \\\n  -H "Authorization: Bearer $WINDLASS_TOKEN"` : "";
  return `curl ${root}jobs${token} \\\n  -H 'Content-Type: application/json' \\\n  -d ${shell(body)}`;
}

export function asCommand(job: Job): string {
  const flags: Record<Option["name"], string> = {
    queue: "--queue",
    priority: "--priority",
    thread_demand: "--threads",
    name: "--name",
  };
  const options = optionsOf(job).map(({ name, value }) => `${flags[name]} ${shell(String(value))}`);
  return ["windlass enqueue", shell(job.type), shell(JSON.stringify(job.payload)), ...options].join(
    " ",
  );
}

export function asPython(job: Job): string {
  const options = optionsOf(job).map(({ name, value }) => `, ${name}=${python(value)}`);
  return [
    `job = await app.draft(${python(job.type)}, ${python(job.payload)}${options.join("")})`,
    "await app.enqueue(job)",
  ].join("\n");
}

function optionsOf(job: Job): Option[] {
  const all: (Option | false)[] = [
    job.queue !== DEFAULT_QUEUE && { name: "queue", value: job.queue },
    job.priority !== 0 && { name: "priority", value: job.priority },
    job.thread_demand > 0 && { name: "thread_demand", value: job.thread_demand },
    job.name !== null && { name: "name", value: job.name },
  ];
  return all.filter((one) => one !== false);
}

function shell(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function python(value: unknown): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([key, one]) => `${JSON.stringify(key)}: ${python(one)}`,
  );
  return `{${entries.join(", ")}}`;
}
