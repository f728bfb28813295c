-- What is live and what ever ended, at one moment: together they tell how much was ever submitted.
select queue, type, state, count(*) as jobs, min(run_at) as oldest_at
  from windlass_jobs
 group by queue, type, state
 union all
select queue, type, state, sum(ended), null
  from (select queue, type, state, ended
          from windlass_totals
         union all
        select queue, type, state, jobs
          from windlass_rollups
         where grain = 0 and jobs > 0) counted
 group by queue, type, state
