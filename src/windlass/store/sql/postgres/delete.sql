-- Forget finished jobs and all that was kept with them.
with gone as (
    delete from windlass_history where id = any(:ids::uuid[]) returning id, queue, type, state
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
