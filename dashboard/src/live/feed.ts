/** What news does to what was asked already. */
import { cache } from "~/api/cache";
import { stats } from "~/api/stats";
import { jobs } from "~/api/jobs";
import type { Counts, Job, Progress } from "~/api/shapes";
import type { News } from "./stream";

// What is asked again when the news cannot be had as it happens.
const POLLED = ["stats", "queues", "workers", "incidents", "job", "jobs", "nodes", "history"];

export function feed({ event, data }: News): void {
  switch (event) {
    case "counts":
      cache.setQueryData(stats.counts.queryKey, data as Counts);
      return;
    case "queues":
    case "workers":
    case "incidents":
      return put(event, data);
    case "job":
      return putJob(data as Job);
    case "progress":
      cache.setQueryData(["job", (data as { id: string }).id, "progress"], data as Progress);
      return;
    case "changed":
    case "gone":
      void cache.invalidateQueries({ queryKey: ["job", (data as { id: string }).id] });
  }
}

function put(what: string, data: unknown): void {
  // What is too large to be sent along is asked for.
  if (data === null) void cache.invalidateQueries({ queryKey: [what] });
  else cache.setQueryData([what], data);
}

function putJob(job: Job): void {
  const known = cache.getQueryData(jobs.one(job.id).queryKey);
  cache.setQueryData(jobs.one(job.id).queryKey, job);
  if (known && known.status === job.status && known.attempts === job.attempts) return;
  // It has come further: so have its explanation, attempts and logs.
  void cache.invalidateQueries({
    queryKey: ["job", job.id],
    predicate: (query) => query.queryKey.length > 2,
  });
}

export function askAgain(): void {
  void cache.invalidateQueries({
    predicate: ({ queryKey }) => POLLED.includes(String(queryKey[0])),
  });
}
