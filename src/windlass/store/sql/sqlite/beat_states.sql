-- How many jobs and attempts ever came to which end and how many run, at one moment.
select state, sum(ended) as ended, :now as now
  from (select state, ended
          from windlass_totals
         union all
        select state, jobs
          from windlass_rollups
         where grain = 0 and jobs > 0
         union all
        select 'running', count(*) from windlass_jobs where state = 'running' and worker > '')
 group by state
