-- Forget workers that ended, once nothing of theirs is left to reclaim.
delete from windlass_workers
 where ended_at is not null
   and not exists (select 1
                     from windlass_jobs j
                    where j.worker = windlass_workers.id and j.state = 'running')
