-- Count the jobs that were just put into history.
insert into windlass_rollups (at, grain, queue, type, state, jobs, waited_us, ran_us)
select :now, 0, queue, type, state, count(*),
       coalesce(sum(started_at - max(run_at, created_at)), 0),
       coalesce(sum(finished_at - started_at), 0)
  from windlass_history
 where rowid > :mark
 group by queue, type, state
