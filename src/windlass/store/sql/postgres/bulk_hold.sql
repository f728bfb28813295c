-- The database's time, if the claim is good; it stays good until the commit.
select windlass_us(:now) as now_us
  from windlass_jobs
 where id = :id::uuid and fence = :fence and worker is not null
   for update
