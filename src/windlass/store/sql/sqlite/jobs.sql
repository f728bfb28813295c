-- Jobs, live and finished, newest first: the newest of each part that an index keeps in order, merged.
-- A part that is not asked for compares with null, and is empty at once.
select * from (
    select *
      from windlass_live_jobs
     where id < :before
       and (:states is null
            or exists (select 1 from json_each(:states)
                        where value in ('scheduled', 'pending', 'running')))
       and (:states is null or state in (select value from json_each(:states)))
       and (:type is null or type = :type)
       and (:queue is null or queue = :queue)
     order by id desc
     limit :limit)
 union all
select * from (
    select *
      from windlass_finished_jobs
     where id < :before and :states is null and :type is null and :queue is null
     order by id desc
     limit :limit)
 union all
select * from (
    select *
      from windlass_finished_jobs
     where type = :type and id < :before
       and (:queue is null or +queue = :queue)
       and (:states is null or +state in (select value from json_each(:states)))
     order by id desc
     limit :limit)
 union all
select * from (
    select *
      from windlass_finished_jobs
     where queue = :queue and id < :before and :type is null
       and (:states is null or +state in (select value from json_each(:states)))
     order by id desc
     limit :limit)
 union all
select * from (
    select *
      from windlass_finished_jobs
     where state = 'failed' and state <> 'completed' and id < :before
       and :type is null and :queue is null
       and 'failed' in (select value from json_each(:states))
     order by id desc
     limit :limit)
 union all
select * from (
    select *
      from windlass_finished_jobs
     where state = 'cancelled' and state <> 'completed' and id < :before
       and :type is null and :queue is null
       and 'cancelled' in (select value from json_each(:states))
     order by id desc
     limit :limit)
 union all
select * from (
    select *
      from windlass_finished_jobs
     where state = 'completed' and id < :before and :type is null and :queue is null
       and 'completed' in (select value from json_each(:states))
     order by id desc
     limit :limit)
 order by id desc
 limit :limit
