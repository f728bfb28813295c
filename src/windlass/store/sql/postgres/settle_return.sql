-- End attempts of jobs that go on living. A job that somebody asked to cancel does not: it is refused here.
-- Who goes back in line at once through no fault of its own keeps its place there.
with moment as materialized (select :now as at),
good as materialized (
    select s.*, j.queue, j.type, moment.at
      from moment,
           unnest(:id::uuid[], :fence::bigint[], :reason::text[], :error::text[], :trace::text[],
                  :started_us::bigint[], :ended_us::bigint[])
           as s(id, fence, reason, error, trace, started_us, ended_us),
           lateral (
               select w.queue, w.type from windlass_jobs w
                where w.id = s.id and w.fence = s.fence and w.worker = :worker::uuid
                  and w.cancel_asked_at is null
                limit 1
                  for update) j
),
unwell as (
    insert into windlass_attempts (job, fence, reason, error, trace, worker, started_at, finished_at)
    select id, fence, reason, error, trace, :worker::uuid,
           at - started_us * interval '1 microsecond',
           at - coalesce(ended_us, 0) * interval '1 microsecond'
      from good
     where reason <> 'handed back'
),
tally as (
    insert into windlass_rollups (at, grain, queue, type, state, jobs, waited_us, ran_us)
    select (select at from moment), 0, queue, type, 'retried', count(*), 0, 0
      from good
     where reason not in ('handed back', 'snoozed')
     group by queue, type
),
back as (
    update windlass_jobs j
       set (state, lane, fence, attempts, failures, crashes, error, run_at, rank) = (
               select case when (:delay_us::bigint[])[n] > 0 then 'scheduled' else 'pending' end,
                      (:lane::text[])[n], (:fence_after::bigint[])[n], (:attempts::integer[])[n],
                      (:failures::integer[])[n], (:crashes::integer[])[n],
                      coalesce((:error::text[])[n], j.error), due,
                      case when (:delay_us::bigint[])[n] = 0
                                and (:reason::text[])[n] in ('handed back', 'crashed') then j.rank
                           else windlass_us(due)
                                - j.priority * (select aging_us from windlass_settings) end
                 from array_position(:id::uuid[], j.id) as n,
                      lateral (select at + (:delay_us::bigint[])[n] * interval '1 microsecond' as due
                                 from moment) later),
           worker = null, claimed_at = null
     where id = any(array(select id from good))
    returning 1
)
select count(*) as settled from back
