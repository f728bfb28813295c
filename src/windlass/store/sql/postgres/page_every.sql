-- The newest finished jobs.
select id::text as id
  from windlass_history
 where id < :before::uuid and id >= :after::uuid
 order by id desc
 limit :limit
