-- Every queue with pending jobs or a pause switch thrown, each counted up to a bound.
with recursive lanes (lane) as (values ('open'), ('threads'), ('alone'), ('parked')),
heads (lane, queue) as (
    select lane,
           (select min(j.queue) from windlass_jobs j where j.state = 'pending' and j.lane = lanes.lane)
      from lanes
     union all
    select lane,
           (select min(j.queue)
              from windlass_jobs j
             where j.state = 'pending' and j.lane = heads.lane and j.queue > heads.queue)
      from heads
     where queue is not null
),
counted (name, depth) as (
    select heads.queue,
           (select count(*)
              from (select 1
                      from windlass_jobs j
                     where j.state = 'pending' and j.lane = heads.lane
                       and j.queue = heads.queue
                     limit :bound))
      from heads
     where heads.queue is not null
     union all
    select name, 0 from windlass_queues
)
select c.name, q.paused_at, q.paused_by, sum(c.depth) as depth
  from counted c
  left join windlass_queues q on q.name = c.name
 group by c.name
 order by c.name
