-- Keep the attempts that ended otherwise than well, of jobs that go on living.
with ended (id, fence, reason, lane, fence_after, attempts, failures, crashes, delay_us, error, trace,
            started_us, ended_us) as (
    values (:id, :fence, :reason, :lane, :fence_after, :attempts, :failures, :crashes, :delay_us,
            :error, :trace, :started_us, :ended_us)
)
insert into windlass_attempts (job, fence, reason, error, trace, worker, started_at, finished_at)
select s.id, s.fence, s.reason, s.error, s.trace, :worker, :now - s.started_us,
       :now - coalesce(s.ended_us, 0)
  from ended s
 cross join windlass_jobs j
 where j.id = s.id and s.reason <> 'handed back' and j.cancel_asked_at is null
   and j.fence = s.fence and j.worker = :worker
