-- Count the waiting jobs that are cancelled.
insert into windlass_rollups (at, grain, queue, type, state, jobs, waited_us, ran_us)
select :now, 0, queue, type, 'cancelled', count(*), 0, 0
  from windlass_jobs
 where id in (select value from json_each(:ids)) and state <> 'running'
 group by queue, type
