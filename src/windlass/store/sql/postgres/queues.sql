-- Every queue with pending jobs or a pause switch thrown, each counted up to a bound.
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
                     limit :bound) waiting) as depth
      from heads h
)
select coalesce(c.name, q.name) as name, q.paused_at, q.paused_by,
       coalesce(sum(c.depth), 0)::bigint as depth
  from counted c
  full join windlass_queues q on q.name = c.name
 group by 1, q.paused_at, q.paused_by
 order by 1
