-- Take a lock that is free, with a token above all before it; else stand in line, and tell for how long.
with taken as (
    update windlass_locks
       set token = nextval('windlass_lock_tokens'),
           until = :now + :ttl_us::bigint * interval '1 microsecond',
           next = null
     where name = :name
       and until <= :now
       and (next is null or next = :waiter::text or next_until <= :now)
    returning token
), standing as (
    update windlass_locks
       set next = :waiter::text,
           next_until = :now + :turn_us::bigint * interval '1 microsecond'
     where name = :name
       and :waiter::text is not null
       and (next is null or next = :waiter::text or next_until <= :now)
       and not exists (select from taken)
)
select token, 0 as left_us
  from taken
 union all
select null, windlass_us(until) - windlass_us(:now)
  from windlass_locks
 where name = :name
   and not exists (select from taken)
