-- Cancel waiting jobs now and ask running ones to stop; a locked row's state cannot change in between.
with moment as materialized (select :now as at),
live as materialized (
    select * from windlass_jobs where id = any(:ids::uuid[]) order by id for update
),
gone as (
    delete from windlass_jobs
     where id = any(array(select id from live where state <> 'running'))
),
kept as (
    insert into windlass_history (id, type, queue, name, state, priority, threads, payload, error,
                                  reason, attempts, failures, crashes, max_attempts, max_crashes,
                                  policy, key, fence, created_at, run_at, finished_at)
    select id, type, queue, name, 'cancelled', priority, threads, payload, error,
           'cancelled', attempts, failures, crashes, max_attempts, max_crashes,
           policy, key, fence, created_at, run_at, (select at from moment)
      from live
     where state <> 'running'
),
asked as (
    update windlass_jobs
       set cancel_asked_at = coalesce(cancel_asked_at, (select at from moment))
     where id = any(array(select id from live where state = 'running'))
),
tally as (
    insert into windlass_rollups (at, grain, queue, type, state, jobs, waited_us, ran_us)
    select (select at from moment), 0, queue, type, 'cancelled', count(*), 0, 0
      from live
     where state <> 'running'
     group by queue, type
)
select id::text as id, state from live
