-- End attempts of jobs that go on living. A job that somebody asked to cancel does not: it is refused here.
-- Who goes back in line at once through no fault of its own keeps its place there.
with ended (id, fence, reason, lane, fence_after, attempts, failures, crashes, delay_us, error, trace,
            started_us, ended_us) as (
    values (:id, :fence, :reason, :lane, :fence_after, :attempts, :failures, :crashes, :delay_us,
            :error, :trace, :started_us, :ended_us)
)
update windlass_jobs
   set state = case when s.delay_us > 0 then 'scheduled' else 'pending' end,
       lane = s.lane, fence = s.fence_after, attempts = s.attempts, failures = s.failures,
       crashes = s.crashes, error = coalesce(s.error, windlass_jobs.error),
       run_at = :now + s.delay_us,
       rank = case when s.delay_us = 0 and s.reason in ('handed back', 'crashed')
                   then windlass_jobs.rank
                   else :now + s.delay_us
                        - windlass_jobs.priority * (select aging_us from windlass_settings) end,
       worker = null, claimed_at = null
  from ended s
 where windlass_jobs.id = s.id and windlass_jobs.cancel_asked_at is null
   and windlass_jobs.fence = s.fence and windlass_jobs.worker = :worker
