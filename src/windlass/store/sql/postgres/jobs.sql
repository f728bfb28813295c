-- Jobs, live and finished, newest first.
select *
  from windlass_every_job
 where id < :before::uuid
   and (:states::text[] is null or state = any(:states::text[]))
   and (:type::text is null or type = :type::text)
   and (:queue::text is null or queue = :queue::text)
 order by id desc
 limit :limit
