-- The live jobs among these, locked as they stand; `late` are those that came too late to be meant.
-- Without those whose id was used before: history has no place for them.
with held as materialized (
    select id, state, created_at
      from windlass_jobs
     where id = any(:ids::uuid[])
     order by id
       for update
)
select id::text as id, state, windlass_us(created_at) > :until_us as late
  from held
 where id <> all(array(select id from windlass_history where id = any(:ids::uuid[])))
