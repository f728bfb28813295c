-- Give waiting jobs the rank of the present aging, a chunk at a time in the order of their ids.
with chunk as (
    select id
      from windlass_jobs
     where id > :after::uuid
     order by id
     limit :limit
),
waiting as (
    select id from windlass_jobs
     where id = any(array(select id from chunk)) and state in ('pending', 'scheduled')
       for update
),
moved as (
    update windlass_jobs
       set rank = windlass_us(greatest(run_at, created_at))
                  - priority * (select aging_us from windlass_settings)
     where id = any(array(select id from waiting))
)
select id::text as id from chunk order by id desc limit 1
