-- Give the waiting jobs of a chunk the rank of the present aging.
update windlass_jobs
   set rank = max(run_at, created_at) - priority * (select aging_us from windlass_settings)
 where id > :after and id <= :last and +state <> 'running'
