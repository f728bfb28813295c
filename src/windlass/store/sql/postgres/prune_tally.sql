-- Take the jobs of one day out of the rollups before the day is dropped.
insert into windlass_rollups (at, grain, queue, type, state, jobs, waited_us, ran_us)
select :now, 0, queue, type, state, -count(*), 0, 0
  from windlass_history
 where id >= windlass_day_floor(:day::text::date) and id < windlass_day_floor(:day::text::date + 1)
 group by queue, type, state
