-- Look at parked jobs from a given place on, and choose those that somebody may take now.
with takes as materialized (
    select distinct t.value as type, q.value as queue
      from windlass_workers w
      join windlass_nodes n on n.id = w.node
      join json_each(w.types) t
      left join json_each(w.queues) q
     where w.ended_at is null and n.lease_until > :now
),
looked as materialized (
    select rowid as row, id, rank, type, queue
      from windlass_jobs
     where state = 'pending' and lane = 'parked' and (rank, id) > (:rank, :id)
     order by rank, id
     limit :limit
),
chosen as (
    select l.row
      from looked l
     where l.queue not in (select name from windlass_queues)
       and exists (select 1 from takes t
                    where t.type = l.type and (t.queue is null or t.queue = l.queue))
)
select (select count(*) from looked) as looked,
       (select count(*) from chosen) as moved,
       (select json_group_array(row) from chosen) as chosen,
       last.rank, last.id
  from (select rank, id from looked order by rank desc, id desc limit 1) last
