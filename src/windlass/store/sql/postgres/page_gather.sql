-- Live jobs that fit, of states with an index of their own and pending ones of one queue, if they are few.
-- Beyond :bound that were looked at it answers with no id.
with looked as materialized (
    (select id, type, queue
       from windlass_jobs
      where state = 'scheduled' and 'scheduled' = any(:states::text[])
      limit :bound)
     union all
    (select id, type, queue
       from windlass_jobs
      where state = 'running' and 'running' = any(:states::text[])
      limit :bound)
     union all
    select p.id, p.type, p.queue
      from unnest(array['open', 'threads', 'alone', 'parked']) as l(lane),
           lateral (select id, type, queue
                      from windlass_jobs
                     where state = 'pending' and lane = l.lane and queue = :queue::text
                       and 'pending' = any(:states::text[])
                     limit :bound) p
),
counted as (select count(*) as looked from looked)
select c.looked, l.id::text as id
  from counted c
  left join (select id
               from looked
              where id < :before::uuid and id >= :after::uuid
                and (:type::text is null or type = :type::text)
                and (:queue::text is null or queue = :queue::text)
              order by id desc
              limit :limit) l on c.looked < :bound
 order by l.id desc
