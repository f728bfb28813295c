-- Take finished jobs out of the count.
insert into windlass_rollups (at, grain, queue, type, state, jobs, waited_us, ran_us)
select :now, 0, queue, type, state, -count(*), 0, 0
  from windlass_history
 where id in (select value from json_each(:ids))
 group by queue, type, state
