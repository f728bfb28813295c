-- The newest finished jobs.
select id
  from windlass_history
 where id < :before and id >= :after
 order by id desc
 limit :limit
