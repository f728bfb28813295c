-- The newest live jobs that fit, of the :bound newest.
select w.id::text as id
  from (select id, state, type, queue
          from windlass_jobs
         where id < :before::uuid and id >= :after::uuid
         order by id desc
         limit :bound) w
 where (:states::text[] is null or w.state = any(:states::text[]))
   and (:type::text is null or w.type = :type::text)
   and (:queue::text is null or w.queue = :queue::text)
 order by w.id desc
 limit :limit
