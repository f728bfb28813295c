-- Live jobs that fit, of states with an index of their own and pending ones of one queue, if they are few.
-- Beyond :bound that were looked at it answers with no id. Whoever compares with null is done at once.
with asked (scheduled, running, queue) as materialized (
    select max(case when value = 'scheduled' then -9e18 end), max(case when value = 'running' then '' end),
           max(case when value = 'pending' then :queue end)
      from json_each(:states)
),
found as materialized (
    select * from (
        select id, type, queue
          from windlass_jobs indexed by windlass_jobs_due
         where state = 'scheduled' and run_at > (select scheduled from asked)
         limit :bound)
     union all
    select * from (
        select id, type, queue
          from windlass_jobs indexed by windlass_jobs_held
         where state = 'running' and worker > (select running from asked)
         limit :bound)
     union all
    select * from (
        select id, type, queue
          from windlass_jobs indexed by windlass_jobs_queue_line
         where state = 'pending' and lane in ('open', 'threads', 'alone', 'parked')
           and queue = (select queue from asked)
         limit :bound)
),
size as (select count(*) as looked from found)
select size.looked, top.id
  from size
  left join (select id
               from found
              where id < :before and id >= :after
                and (:type is null or type = :type)
                and (:queue is null or queue = :queue)
              order by id desc
              limit :limit) top on size.looked < :bound
 order by top.id desc
