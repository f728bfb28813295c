-- The newest finished jobs of a queue: the newest of each type and state, merged.
with recursive types (type) as (
    (select type from windlass_history where queue = :queue::text order by type limit 1)
     union all
    select next.type
      from types t,
           lateral (select h.type
                      from windlass_history h
                     where h.queue = :queue::text and h.type > t.type
                     order by h.type
                     limit 1) next
)
select x.id::text as id
  from types t, unnest(:states::text[]) as s(state),
       lateral (select h.id
                  from windlass_history h
                 where h.queue = :queue::text and h.type = t.type and h.state = s.state
                   and h.id < :before::uuid and h.id >= :after::uuid
                 order by h.id desc
                 limit :limit) x
 order by x.id desc
 limit :limit
