-- Count the jobs that were just put into history; `not indexed` lest grouping walks all of it.
insert into windlass_rollups (at, grain, queue, type, state, jobs, waited_us, ran_us)
select :now, 0, queue, type, state, count(*),
       coalesce(sum(started_at - max(run_at, created_at)), 0),
       coalesce(sum(finished_at - started_at), 0)
  from windlass_history not indexed
 where rowid > :mark
 group by queue, type, state
