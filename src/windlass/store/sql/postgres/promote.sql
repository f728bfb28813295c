-- Make due scheduled jobs pending; say how many, where, and when the next one is due.
with moment as materialized (select :now as at),
due as (
    select id
      from windlass_jobs
     where state = 'scheduled' and run_at <= (select at from moment)
     order by run_at
     limit :limit
       for update skip locked
),
moved as (
    update windlass_jobs
       set state = 'pending'
     where id = any(array(select id from due))
    returning queue, threads
)
select (select count(*) from moved) as promoted,
       (select array_agg(distinct queue) from moved) as queues,
       (select bool_or(threads > 0) from moved) as wide,
       (select extract(epoch from min(run_at) - at)::float8
          from windlass_jobs
         where state = 'scheduled' and run_at > at) as next_in
  from moment
