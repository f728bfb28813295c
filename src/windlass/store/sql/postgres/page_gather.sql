-- Live jobs that fit, of states with an index of their own and pending ones of one queue, if they are few.
-- How many those are is counted first; beyond :bound it answers with no id.
with size as materialized (
    select (select count(*)
              from (select
                      from windlass_jobs
                     where state = 'scheduled' and 'scheduled' = any(:states::text[])
                     order by run_at
                     limit 20000) s)
           + (select count(*)
                from (select
                        from windlass_jobs
                       where state = 'running' and 'running' = any(:states::text[])
                       order by worker
                       limit 20000) r)
           + (select count(*)
                from unnest(array['open', 'threads', 'alone', 'parked']) as l(lane),
                     lateral (select
                                from windlass_jobs
                               where state = 'pending' and lane = l.lane and queue = :queue::text
                                 and 'pending' = any(:states::text[])
                               order by rank, id
                               limit 20000) p) as looked
),
found as materialized (
    (select id, type, queue
       from windlass_jobs
      where state = 'scheduled' and 'scheduled' = any(:states::text[])
        and (select looked from size) < :bound
      order by run_at
      limit 20000)
     union all
    (select id, type, queue
       from windlass_jobs
      where state = 'running' and 'running' = any(:states::text[])
        and (select looked from size) < :bound
      order by worker
      limit 20000)
     union all
    select p.id, p.type, p.queue
      from unnest(array['open', 'threads', 'alone', 'parked']) as l(lane),
           lateral (select id, type, queue
                      from windlass_jobs
                     where state = 'pending' and lane = l.lane and queue = :queue::text
                       and 'pending' = any(:states::text[])
                       and (select looked from size) < :bound
                     order by rank, id
                     limit 20000) p
)
select size.looked, top.id::text as id
  from size
  left join (select id
               from found
              where id < :before::uuid and id >= :after::uuid
                and (:type::text is null or type = :type::text)
                and (:queue::text is null or queue = :queue::text)
              order by id desc
              limit :limit) top on true
 order by top.id desc
