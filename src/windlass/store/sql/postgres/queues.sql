-- Every queue with pending or running jobs or a pause switch thrown, the pending counted up to a bound.
with recursive heads as (
    (select lane, queue from windlass_jobs where state = 'pending' order by lane, queue limit 1)
     union all
    select next.lane, next.queue
      from heads,
           lateral (select j.lane, j.queue
                      from windlass_jobs j
                     where j.state = 'pending' and (j.lane, j.queue) > (heads.lane, heads.queue)
                     order by j.lane, j.queue
                     limit 1) next
),
counted as (
    select h.queue as name,
           (select count(*)
              from (select
                      from windlass_jobs j
                     where j.state = 'pending' and j.lane = h.lane and j.queue = h.queue
                     limit :bound) waiting) as depth,
           0 as running,
           (select j.run_at
              from windlass_jobs j
             where j.state = 'pending' and j.lane = h.lane and j.queue = h.queue
             order by j.rank, j.id
             limit 1) as oldest_at
      from heads h
     union all
    select r.queue, 0, count(*), null
      from (select queue from windlass_jobs where state = 'running' order by worker) r
     group by r.queue
     union all
    select name, 0, 0, null from windlass_queues
)
select c.name, q.paused_at, q.paused_by, sum(c.depth)::bigint as depth,
       sum(c.running)::bigint as running, min(c.oldest_at) as oldest_at
  from counted c
  left join windlass_queues q on q.name = c.name
 group by c.name, q.paused_at, q.paused_by
 order by c.name
