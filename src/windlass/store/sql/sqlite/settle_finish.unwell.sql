-- Keep the attempts that ended otherwise than well, of the jobs that were just put into history.
-- Not those that are told of too late: the fence of the job has grown by two or more since.
with ended (id, fence, error, trace) as (
    values (:id, :fence, :error, :trace)
)
insert into windlass_attempts (job, fence, reason, error, trace, worker, started_at, finished_at)
select h.id, s.fence, coalesce(h.reason, h.state), s.error, s.trace, h.worker, h.started_at,
       h.finished_at
  from ended s
 cross join windlass_history h
 where h.id = s.id and h.rowid > :mark and h.fence in (s.fence, s.fence + 1)
