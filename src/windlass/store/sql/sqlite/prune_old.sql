-- The jobs past retention among the first that finished; rows stand in the order in which they were kept.
select id
  from (select id, finished_at from windlass_history order by rowid limit :limit * 10)
 where finished_at <= :now - :retention_us
 limit :limit
