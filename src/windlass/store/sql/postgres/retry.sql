-- Put failed and cancelled jobs back in line under the same id, with a fence that no old claim can match.
with moment as materialized (
    select at, windlass_us(at) as us from (select :now as at) clock
),
gone as (
    delete from windlass_history
     where id = any(:ids::uuid[]) and state in ('failed', 'cancelled')
    returning *
),
back as (
    insert into windlass_jobs (id, type, queue, name, state, lane, rank, priority, threads, payload,
                               error, attempts, failures, crashes, max_attempts, max_crashes, policy,
                               key, fence, created_at, run_at)
    select id, type, queue, name, 'pending', case when threads > 0 then 'threads' else 'open' end,
           moment.us - priority * (select aging_us from windlass_settings), priority, threads, payload,
           error, attempts, 0, 0, max_attempts, max_crashes, policy,
           key, fence + 1, created_at, moment.at
      from gone, moment
    returning id, queue
),
tally as (
    insert into windlass_rollups (at, grain, queue, type, state, jobs, waited_us, ran_us)
    select (select at from moment), 0, queue, type, state, -count(*), 0, 0
      from gone
     group by queue, type, state
     union all
    select (select at from moment), 0, queue, type, 'revived', count(*), 0, 0
      from gone
     group by queue, type
)
select id::text as id, queue from back
