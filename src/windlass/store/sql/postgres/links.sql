-- The job that this one replays, and those that replay it, as far as they were kept.
select old as id, 1 as older
  from windlass_replays
 where job = :id
 union all
select r.job, 0
  from windlass_replays r
 where r.old = :id and exists (select 1 from windlass_every_job e where e.id = r.job)
