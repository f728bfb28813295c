-- Add the finest rollups to the totals.
insert into windlass_totals as t (queue, type, state, jobs, ended, waited_us, ran_us)
select queue, type, state, sum(jobs), sum(max(jobs, 0)), sum(max(waited_us, 0)), sum(max(ran_us, 0))
  from windlass_rollups
 where rowid in (select value from json_each(:chosen)) and grain = 0
 group by queue, type, state
    on conflict (queue, type, state) do update
   set jobs = t.jobs + excluded.jobs, ended = t.ended + excluded.ended,
       waited_us = t.waited_us + excluded.waited_us, ran_us = t.ran_us + excluded.ran_us
