-- How many jobs and attempts ever came to which end and how many run, at one moment.
select state, sum(ended)::bigint as ended, :now as now
  from (select state, ended
          from windlass_totals
         union all
        select state, jobs
          from windlass_rollups
         where grain = 0 and jobs > 0
         union all
        select 'running', count(*)
          from (select from windlass_jobs where state = 'running' order by worker) r) counted
 group by state
