-- Live jobs that fit, of states with an index of their own and pending ones of one queue, if they are few.
-- Beyond :bound that were looked at it answers with no id.
with looked as materialized (
    select * from (
        select id, type, queue
          from windlass_jobs
         where state = 'scheduled' and exists (select 1 from json_each(:states)
                                                where value = 'scheduled')
         limit :bound)
     union all
    select * from (
        select id, type, queue
          from windlass_jobs
         where state = 'running' and exists (select 1 from json_each(:states)
                                              where value = 'running')
         limit :bound)
     union all
    select * from (
        select id, type, queue
          from windlass_jobs
         where state = 'pending' and lane in ('open', 'threads', 'alone', 'parked')
           and queue = :queue
           and exists (select 1 from json_each(:states) where value = 'pending')
         limit :bound)
),
counted as (select count(*) as looked from looked)
select c.looked, l.id
  from counted c
  left join (select id
               from looked
              where id < :before and id >= :after
                and (:type is null or type = :type)
                and (:queue is null or queue = :queue)
              order by id desc
              limit :limit) l on c.looked < :bound
 order by l.id desc
