-- Move jobs at the heads of the lines out of the way whose queue is paused or that no live worker may take.
with live as materialized (
    select w.types, w.queues
      from windlass_workers w
      join windlass_nodes n on n.id = w.node
     where w.ended_at is null and n.lease_until > :now
),
paused as (
    select h.id
      from windlass_queues q,
           unnest(array['open', 'threads']) as l(lane),
           lateral (
               select id from windlass_jobs
                where state = 'pending' and lane = l.lane and queue = q.name
                order by rank, id
                limit :limit) h
     limit :limit
),
unknown as (
    select h.id
      from unnest(array['open', 'threads']) as l(lane),
           lateral (
               select id, type, queue from windlass_jobs
                where state = 'pending' and lane = l.lane
                order by rank, id
                limit :limit) h
     where exists (select from live)
       and not exists (select from live
                        where h.type = any(live.types)
                          and (live.queues is null or h.queue = any(live.queues)))
),
chosen as (
    select id
      from windlass_jobs
     where id = any(array(select id from paused union select id from unknown))
       and state = 'pending'
       for update skip locked
)
update windlass_jobs
   set lane = 'parked'
 where id = any(array(select id from chosen))
returning 1
