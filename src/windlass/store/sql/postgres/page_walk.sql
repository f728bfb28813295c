-- The newest live jobs that fit, of the :bound newest; a bound that the planner can read keeps it on the index.
select w.id::text as id
  from (select *
          from (select id, state, type, queue
                  from windlass_jobs
                 where id < :before::uuid and id >= :after::uuid
                 order by id desc
                 limit 20000) newest
         limit :bound) w
 where (:states::text[] is null or w.state = any(:states::text[]))
   and (:type::text is null or w.type = :type::text)
   and (:queue::text is null or w.queue = :queue::text)
 limit :limit
