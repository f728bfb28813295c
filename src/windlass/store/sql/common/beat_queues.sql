-- How many jobs ever left a queue, and how many were put back in line: of the busiest queues.
select queue, sum(case when state = 'revived' then ended else 0 end) as revived,
       sum(case when state in ('completed', 'failed', 'cancelled') then ended else 0 end) as left_it
  from (select queue, state, ended
          from windlass_totals
         union all
        select queue, state, jobs
          from windlass_rollups
         where grain = 0 and jobs > 0) counted
 group by queue
 order by left_it desc
 limit :most
