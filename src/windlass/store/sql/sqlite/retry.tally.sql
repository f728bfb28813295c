-- Count finished jobs that are put back in line by hand.
insert into windlass_rollups (at, grain, queue, type, state, jobs, waited_us, ran_us)
select :now, 0, queue, type, 'revived', count(*), 0, 0
  from windlass_history
 where id in (select value from json_each(:ids))
 group by queue, type
