-- How many live jobs of these states, this type and this queue there are.
select count(*) as jobs
  from windlass_jobs
 where state = any(:states::text[])
   and (:type::text is null or type = :type::text)
   and (:queue::text is null or queue = :queue::text)
