-- How many finished jobs of these states, this type and this queue there are.
select coalesce(sum(jobs), 0)::bigint as jobs
  from (select queue, type, state, jobs
          from windlass_totals
         union all
        select queue, type, state, jobs
          from windlass_rollups
         where grain = 0) counted
 where state = any(:states::text[])
   and (:type::text is null or type = :type::text)
   and (:queue::text is null or queue = :queue::text)
