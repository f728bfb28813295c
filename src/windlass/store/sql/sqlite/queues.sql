-- Every queue with pending or running jobs or a pause switch thrown, the pending counted up to a bound.
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
counted (name, depth, running, oldest_at) as (
    select heads.queue,
           (select count(*)
              from (select 1
                      from windlass_jobs j
                     where j.state = 'pending' and j.lane = heads.lane
                       and j.queue = heads.queue
                     limit :bound)),
           0,
           (select j.run_at
              from windlass_jobs j
             where j.state = 'pending' and j.lane = heads.lane and j.queue = heads.queue
             order by j.rank, j.id
             limit 1)
      from heads
     where heads.queue is not null
     union all
    select queue, 0, count(*), null
      from windlass_jobs
     where state = 'running' and worker > ''
     group by queue
     union all
    select name, 0, 0, null from windlass_queues
)
select c.name, q.paused_at, q.paused_by, sum(c.depth) as depth,
       sum(c.running) as running, min(c.oldest_at) as oldest_at
  from counted c
  left join windlass_queues q on q.name = c.name
 group by c.name
 order by c.name
