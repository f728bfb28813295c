-- How many live jobs of these states, this type and this queue there are.
select count(*) as jobs
  from windlass_jobs
 where +state in (select value from json_each(:states))
   and (:type is null or type = :type)
   and (:queue is null or queue = :queue)
