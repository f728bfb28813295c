-- The newest live jobs that fit, of the :bound newest.
select w.id
  from (select id, state, type, queue
          from windlass_jobs
         where id < :before and id >= :after
         order by id desc
         limit :bound) w
 where (:states is null or w.state in (select value from json_each(:states)))
   and (:type is null or w.type = :type)
   and (:queue is null or w.queue = :queue)
 order by w.id desc
 limit :limit
