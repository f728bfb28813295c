-- Count the attempts just kept that failed, and whose job runs again.
insert into windlass_rollups (at, grain, queue, type, state, jobs, waited_us, ran_us)
select :now, 0, j.queue, j.type, 'retried', count(*), 0, 0
  from windlass_attempts a
 cross join windlass_jobs j
 where a.rowid > :mark and a.reason <> 'snoozed' and j.id = a.job
 group by j.queue, j.type
