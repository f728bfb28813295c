-- The database's time, if the claim is good; whoever writes is alone until the commit.
select :now as now_us
  from windlass_jobs
 where id = :id and fence = :fence and worker is not null
