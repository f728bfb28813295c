-- Move parked jobs back in line that somebody may take now, looking on from a given place.
with live as materialized (
    select w.types, w.queues
      from windlass_workers w
      join windlass_nodes n on n.id = w.node
     where w.ended_at is null and n.lease_until > :now
),
looked as materialized (
    select id, rank, type, queue
      from windlass_jobs
     where state = 'pending' and lane = 'parked' and (rank, id) > (:rank::bigint, :id::uuid)
     order by rank, id
     limit :limit
),
chosen as (
    select j.id
      from windlass_jobs j
     where j.id = any(array(
               select l.id from looked l
                where l.queue <> all(array(select name from windlass_queues))
                  and exists (select from live
                               where l.type = any(live.types)
                                 and (live.queues is null or l.queue = any(live.queues)))))
       and j.state = 'pending'
       for update skip locked
),
moved as (
    update windlass_jobs
       set lane = case when threads > 0 then 'threads' else 'open' end
     where id = any(array(select id from chosen))
    returning 1
)
select (select count(*) from looked) as looked, (select count(*) from moved) as moved,
       last.rank, last.id::text as id
  from (select rank, id from looked order by rank desc, id desc limit 1) last
