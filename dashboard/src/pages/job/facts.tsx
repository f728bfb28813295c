/** What is known of a job: when, where, with which keys, and which jobs belong to it. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { jobs } from "~/api/jobs";
import type { Job } from "~/api/shapes";
import { Copy } from "~/components/copy";
import { Panel } from "~/components/panel";
import { Duration, Time } from "~/components/time";
import { quoted } from "../jobs/words";

export function Facts({ job }: { job: Job }) {
  return (
    <Panel title="Facts">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-sm">
        <Fact name="Id">
          <span className="flex items-center gap-1">
            <span className="truncate font-mono text-xs" title={job.id}>
              {job.id}
            </span>
            <Copy text={job.id} label="Copy the id" />
          </span>
        </Fact>
        <Fact name="Type">
          <Like q={`type:${quoted(job.type)}`}>{job.type}</Like>
        </Fact>
        <Fact name="Queue">
          <Like q={`queue:${quoted(job.queue)}`}>{job.queue}</Like>
        </Fact>
        {job.name && <Fact name="Name">{job.name}</Fact>}
        <Fact name="Created">
          <Time at={job.created_at} exact />
        </Fact>
        <Fact name="Due">
          <Time at={job.scheduled_at} exact />
        </Fact>
        {job.started_at && (
          <Fact name="Started">
            <Time at={job.started_at} exact />
          </Fact>
        )}
        {job.completed_at && (
          <Fact name="Finished">
            <Time at={job.completed_at} exact />
          </Fact>
        )}
        <Fact name="Priority">{job.priority}</Fact>
        <Fact name="Failures">
          {job.failures} of {job.max_attempts}
        </Fact>
        {job.crashes > 0 && (
          <Fact name="Crashes">
            {job.crashes} of {job.max_crashes}
          </Fact>
        )}
        {job.thread_demand > 0 && <Fact name="Threads">{job.thread_demand}</Fact>}
        {job.timeout !== null && (
          <Fact name="Timeout">
            <Duration seconds={job.timeout} />
          </Fact>
        )}
        {job.worker && (
          <Fact name="Worker">
            <span className="block truncate font-mono text-xs" title={job.worker}>
              {job.worker}
            </span>
          </Fact>
        )}
        {job.idempotency_key && (
          <Fact name="Key">
            <Like q={`key:${quoted(job.idempotency_key)}`}>
              <span className="font-mono text-xs">{job.idempotency_key}</span>
            </Like>
          </Fact>
        )}
        <Kin job={job} />
      </dl>
    </Panel>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-faint">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </>
  );
}

/** A link to the jobs that are like this one. */
function Like({ q, children }: { q: string; children: ReactNode }) {
  return (
    <Link to="/jobs" search={{ q }} className="text-accent-text hover:underline">
      {children}
    </Link>
  );
}

/** Which job it replays, and which ones replay it. */
function Kin({ job }: { job: Job }) {
  const { data } = useQuery(jobs.links(job.id));
  if (!data) return null;
  return (
    <>
      {data.replay_of && (
        <Fact name="Replays">
          <One id={data.replay_of} />
        </Fact>
      )}
      {data.replays.length > 0 && (
        <Fact name="Replayed by">
          <span className="flex flex-col">
            {data.replays.map((id) => (
              <One key={id} id={id} />
            ))}
          </span>
        </Fact>
      )}
    </>
  );
}

function One({ id }: { id: string }) {
  return (
    <Link
      to="/jobs/$jobId"
      params={{ jobId: id }}
      className="truncate font-mono text-xs text-accent-text hover:underline"
    >
      {id}
    </Link>
  );
}
