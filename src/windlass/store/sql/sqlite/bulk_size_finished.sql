-- How many finished jobs of these states, this type and this queue there are.
select coalesce(sum(jobs), 0) as jobs
  from (select queue, type, state, jobs
          from windlass_totals
         union all
        select queue, type, state, jobs
          from windlass_rollups
         where grain = 0) counted
 where state in (select value from json_each(:states))
   and (:type is null or type = :type)
   and (:queue is null or queue = :queue)
