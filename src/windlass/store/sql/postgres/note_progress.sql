-- Keep progress of attempts whose claim is still good.
insert into windlass_progress (job, fence, fraction, message, at)
select p.job, p.fence, p.fraction, p.message, :now
  from unnest(:job::uuid[], :fence::bigint[], :fraction::real[], :message::text[])
       as p(job, fence, fraction, message)
 where exists (select from windlass_jobs j
                where j.id = p.job and j.fence = p.fence and j.worker is not null)
