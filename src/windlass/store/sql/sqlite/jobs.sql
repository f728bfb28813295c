-- Jobs, live and finished, newest first.
select *
  from windlass_every_job
 where id < :before
   and (:states is null or state in (select value from json_each(:states)))
   and (:type is null or type = :type)
   and (:queue is null or queue = :queue)
 order by id desc
 limit :limit
