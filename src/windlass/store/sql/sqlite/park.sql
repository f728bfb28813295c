-- Choose jobs at the heads of the lines whose queue is paused or that no live worker may take.
with takes as materialized (
    select distinct t.value as type, q.value as queue
      from windlass_workers w
      join windlass_nodes n on n.id = w.node
      join json_each(w.types) t
      left join json_each(w.queues) q
     where w.ended_at is null and n.lease_until > :now
),
lanes (lane) as (values ('open'), ('threads')),
heads as (
    select j.rowid as row, j.type, j.queue, true as paused
      from windlass_queues q
     cross join lanes l
     cross join windlass_jobs j
     where j.rowid in (select h.rowid
                         from windlass_jobs h
                        where h.state = 'pending' and h.lane = l.lane and h.queue = q.name
                        order by h.rank, h.id
                        limit :limit)
     union all
    select j.rowid, j.type, j.queue, false
      from lanes l
     cross join windlass_jobs j
     where j.rowid in (select h.rowid
                         from windlass_jobs h
                        where h.state = 'pending' and h.lane = l.lane
                        order by h.rank, h.id
                        limit :limit)
)
select json_group_array(row) as rows
  from (select distinct row
          from heads
         where paused
            or (exists (select 1 from takes)
                and not exists (select 1 from takes t
                                 where t.type = heads.type
                                   and (t.queue is null or t.queue = heads.queue)))
         limit :limit)
