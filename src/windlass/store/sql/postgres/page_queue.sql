-- The newest finished jobs of a queue: the newest of each type and state that was ever counted, merged.
-- Compared and ordered as one, these columns leave the planner no other index.
with cells as materialized (
    select type, state
      from windlass_totals
     where queue = :queue::text and state = any(:states::text[])
     union
    select type, state
      from windlass_rollups
     where grain = 0 and queue = :queue::text and state = any(:states::text[])
)
select x.id::text as id
  from cells c,
       lateral (select id
                  from (select h.id
                          from windlass_history h
                         where (h.queue, h.type, h.state, h.id) < (:queue::text, c.type, c.state, :before::uuid)
                           and (h.queue, h.type, h.state, h.id) >= (:queue::text, c.type, c.state, :after::uuid)
                         order by h.queue desc, h.type desc, h.state desc, h.id desc
                         limit 10000) top
                 limit :limit) x
 order by x.id desc
 limit :limit
