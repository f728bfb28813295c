/** A job: how it stands, why, what it did, and what can be done with it. Live while it lives. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { jobs } from "~/api/jobs";
import { Problem } from "~/api/problem";
import type { Job } from "~/api/shapes";
import { Page } from "~/app/page";
import { buttonLook } from "~/components/button";
import { Empty } from "~/components/empty";
import { Failure } from "~/components/failure";
import { Icon } from "~/components/icon";
import { Meter } from "~/components/meter";
import { Skeletons } from "~/components/skeleton";
import { isLive, standing } from "~/components/state";
import { StateBadge } from "~/components/state-badge";
import { Duration } from "~/components/time";
import { percent, spelled } from "~/components/words";
import { useWatch } from "~/live/live";
import { Acting } from "./acting";
import { CopyAs } from "./copy-as";
import { Payload, Result } from "./documents";
import { Facts } from "./facts";
import { Logs } from "./logs";
import { Timeline } from "./timeline";
import { Why } from "./why";

const route = getRouteApi("/shell/jobs/$jobId");
const NOT_FOUND = 404;

export function JobPage() {
  const { jobId } = route.useParams();
  const job = useQuery(jobs.one(jobId));
  useWatch([jobId]);
  if (job.error instanceof Problem && job.error.status === NOT_FOUND) return <Gone id={jobId} />;
  if (job.data) return <Shown key={jobId} job={job.data} />;
  return (
    <Page title="Job" heading={<Back />}>
      {job.isError ? <Failure error={job.error} again={() => void job.refetch()} /> : <Skeletons />}
    </Page>
  );
}

function Shown({ job }: { job: Job }) {
  const attempts = useQuery(jobs.attempts(job.id));
  return (
    <Page
      title={job.name ?? job.type}
      heading={<Heading job={job} />}
      actions={
        <div className="flex flex-wrap gap-2">
          <Acting job={job} />
        </div>
      }
    >
      <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="flex min-w-0 flex-col gap-4">
          <Times job={job} />
          {job.status === "running" && <Progress job={job} />}
          <Why job={job} />
          <Timeline job={job} attempts={attempts.data ?? []} />
          <Result job={job} />
          <Logs job={job} />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <Payload job={job} />
          <Facts job={job} />
          <CopyAs job={job} />
        </div>
      </div>
    </Page>
  );
}

function Heading({ job }: { job: Job }) {
  return (
    <span className="flex items-start gap-2">
      <Back />
      <span className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
        <span className="min-w-0 wrap-anywhere">{job.type}</span>
        {job.name && (
          <span className="line-clamp-2 min-w-0 font-normal text-soft wrap-anywhere">
            {spelled(job.name)}
          </span>
        )}
        <span className="inline-flex tracking-normal">
          <StateBadge state={standing(job)} />
        </span>
      </span>
    </span>
  );
}

function Back() {
  return (
    <Link
      to="/jobs"
      aria-label="All jobs"
      title="All jobs"
      className="mt-0.5 -ml-1 flex rounded-md p-1 text-faint hover:bg-hover hover:text-text"
    >
      <Icon name="left" />
    </Link>
  );
}

/** How long it waited and ran; what goes on is counted on. */
function Times({ job }: { job: Job }) {
  const { status, queue_time, execution_time, total_time } = job;
  const waiting = status === "pending";
  return (
    <dl className="grid grid-cols-2 divide-line rounded-lg border border-line bg-panel max-sm:gap-y-1 max-sm:py-1 sm:grid-cols-4 sm:divide-x">
      <Figure name="In line">
        <Duration
          seconds={waiting ? null : queue_time}
          since={waiting ? job.scheduled_at : undefined}
        />
      </Figure>
      <Figure name="Ran for">
        <Duration
          seconds={status === "running" ? null : execution_time}
          since={status === "running" ? job.started_at : undefined}
        />
      </Figure>
      <Figure name="In all">
        <Duration
          seconds={isLive(status) ? null : total_time}
          since={isLive(status) ? job.created_at : undefined}
        />
      </Figure>
      <Figure name="Attempts">
        {job.attempts + (status === "running" ? 1 : 0)}
        <span className="text-base font-normal text-faint"> of {job.max_attempts}</span>
      </Figure>
    </dl>
  );
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="px-4 py-2.5">
      <dt className="text-xs text-faint">{name}</dt>
      <dd className="text-lg font-semibold">{children}</dd>
    </div>
  );
}

function Progress({ job }: { job: Job }) {
  const { data } = useQuery(jobs.progress(job.id));
  if (!data) return null;
  return (
    <div className="flex flex-col gap-2 rounded-lg border border-line bg-panel px-4 py-3">
      <div className="flex justify-between gap-4 text-sm">
        <span role="status" className="min-w-0 wrap-anywhere">
          {data.message ?? "Running"}
        </span>
        <span className="font-medium">{percent(data.fraction)}</span>
      </div>
      <Meter label="Progress" value={data.fraction} most={1} text={percent(data.fraction)} />
    </div>
  );
}

function Gone({ id }: { id: string }) {
  return (
    <Page title="Job" heading={<Back />}>
      <Empty icon="search" title="There is no such job">
        <p>
          <span className="font-mono text-xs wrap-anywhere">{id}</span> was never here, was deleted,
          or is older than what is kept.
        </p>
        <Link to="/jobs" className={`${buttonLook()} mt-4`}>
          See all jobs
        </Link>
      </Empty>
    </Page>
  );
}
