/** What went into a job, and what came out of it. */
import { address } from "~/api/client";
import type { Job } from "~/api/shapes";
import { buttonLook } from "~/components/button";
import { Icon } from "~/components/icon";
import { Panel } from "~/components/panel";
import { Tree } from "~/components/tree";

interface Kept {
  file: string;
  type: string;
  width?: number;
  height?: number;
}

export function Payload({ job }: { job: Job }) {
  return (
    <Panel title="Payload">
      <Tree value={job.payload} label="payload" />
    </Panel>
  );
}

export function Result({ job }: { job: Job }) {
  if (job.status !== "completed") return null;
  const kept = keptIn(job.result);
  return (
    <Panel title="Result">
      {kept && <File job={job} kept={kept} />}
      {job.result === null ? (
        <p className="text-sm text-soft">It gave nothing back.</p>
      ) : (
        <Tree value={job.result} label="result" />
      )}
    </Panel>
  );
}

/** A file that the handler kept: shown if it is a picture. */
function File({ job, kept }: { job: Job; kept: Kept }) {
  const place = address("/jobs/{job_id}/files/{name}", {
    path: { job_id: job.id, name: kept.file },
  }).href;
  return (
    <figure className="mb-3 flex flex-col items-start gap-2">
      {kept.type.startsWith("image/") && (
        <img
          src={place}
          alt={`Result ${kept.file}`}
          width={kept.width}
          height={kept.height}
          className="h-auto max-h-96 w-auto max-w-full rounded-md border border-line bg-sunken object-contain"
        />
      )}
      <a href={place} download={kept.file} className={buttonLook("plain", true)}>
        <Icon name="download" />
        {kept.file}
      </a>
    </figure>
  );
}

/** A result says which file it kept, as `resize_image` does. */
function keptIn(result: unknown): Kept | undefined {
  if (result === null || typeof result !== "object") return undefined;
  const { file, type } = result as Partial<Record<keyof Kept, unknown>>;
  return typeof file === "string" && typeof type === "string" ? (result as Kept) : undefined;
}
