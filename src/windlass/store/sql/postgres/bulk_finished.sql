-- The finished jobs among these, locked; `late` are those that were finished too late to be meant.
-- Without those whose id was used again: they cannot go back in line.
with held as materialized (
    select id, state, finished_at
      from windlass_history
     where id = any(:ids::uuid[])
     order by id
       for update
)
select id::text as id, state, windlass_us(finished_at) > :until_us as late
  from held
 where id <> all(array(select id from windlass_jobs where id = any(:ids::uuid[])))
