-- The jobs past retention among those whose id names no day of ours.
select id::text as id
  from windlass_history_other
 where finished_at <= :now - :retention_us::bigint * interval '1 microsecond'
 limit :limit
