-- Forget finished jobs and all that was kept with them, also their keys if somebody means just these jobs.
with gone as (
    delete from windlass_history where id = any(:ids::uuid[]) returning id, queue, type, state, key
),
-- In the order in which an enqueue takes them, so that the two wait for each other instead of locking up.
held as materialized (
    select k.key
      from gone
      join windlass_keys k on k.key = gone.key and k.job = gone.id
     where :with_keys::boolean
     order by k.key
       for update of k
),
keys as (
    delete from windlass_keys where key = any(array(select key from held))
),
attempts as (
    delete from windlass_attempts where job = any(array(select id from gone))
),
lines as (
    delete from windlass_lines where job = any(array(select id from gone))
),
progress as (
    delete from windlass_progress where job = any(array(select id from gone))
),
files as (
    delete from windlass_files where job = any(array(select id from gone))
),
tally as (
    insert into windlass_rollups (at, grain, queue, type, state, jobs, waited_us, ran_us)
    select :now, 0, queue, type, state, -count(*), 0, 0
      from gone
     group by queue, type, state
)
select id::text as id from gone
