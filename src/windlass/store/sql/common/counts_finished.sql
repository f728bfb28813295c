-- How many finished jobs there are in each state; exact, since rollups commit with the change.
select state, sum(jobs) as jobs
  from (select state, jobs from windlass_totals
         union all
        select state, jobs from windlass_rollups where grain = 0) counted
 where state in ('completed', 'failed', 'cancelled')
 group by state
