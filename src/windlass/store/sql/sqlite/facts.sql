-- What bears on why one job waits: its line, its queue, and who could take it.
with live as materialized (
    select w.*
      from windlass_workers w
      join windlass_nodes n on n.id = w.node
     where w.ended_at is null and w.drain_at is null and n.lease_until > :now
),
job as materialized (
    select * from windlass_jobs where id = :id
)
select :now as now_us,
       (select count(*)
          from (select 1
                  from job
                  join windlass_jobs j
                 where job.state = 'pending' and j.state = 'pending' and j.lane = job.lane
                   and (j.rank, j.id) < (job.rank, job.id)
                 limit 10000)) as ahead,
       (select j.rank
          from windlass_jobs j
         where j.state = 'pending' and j.lane = (select lane from job)
         order by j.rank, j.id
         limit 1) as first_rank,
       (select j.rank
          from windlass_jobs j
         where j.state = 'pending' and j.lane = (select lane from job)
         order by j.rank desc, j.id desc
         limit 1) as last_rank,
       (select rank from job) as rank,
       (select pending from windlass_counts) as pending,
       (select q.paused_by from windlass_queues q join job on q.name = job.queue) as paused_by,
       (select count(*) from live) as workers,
       (select count(*)
          from windlass_workers w
          join windlass_nodes n on n.id = w.node
         where w.ended_at is null and w.drain_at is not null and n.lease_until > :now) as draining,
       (select count(*) from live, job
         where job.type in (select value from json_each(live.types))) as workers_for_type,
       (select count(*) from live, job
         where live.queues is null
            or job.queue in (select value from json_each(live.queues))) as workers_for_queue,
       (select coalesce(max(threads), 0) from live where not alone) as widest,
       (select coalesce(sum(jobs), 0) / 60.0
          from windlass_rollups
         where grain in (0, 10) and jobs > 0 and state <> 'revived'
           and at > :now - 60000000) as claims_per_second,
       (select n.lease_until
          from job
          join windlass_workers w on w.id = job.worker
          join windlass_nodes n on n.id = w.node) as lease_until,
       (select w.threads
          from job
          join windlass_workers w on w.id = job.worker) as worker_threads
