-- Add up rollups in bins of :grain seconds, of what ended only: the totals know what is gone since.
insert into windlass_rollups (at, grain, queue, type, state, jobs, waited_us, ran_us)
select at - at % (:grain * 1000000) as bin, :grain, queue, type, state, sum(jobs), sum(waited_us),
       sum(ran_us)
  from windlass_rollups
 where rowid in (select value from json_each(:chosen)) and jobs > 0
 group by bin, queue, type, state
