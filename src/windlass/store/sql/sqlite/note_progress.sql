-- Keep progress of attempts whose claim is still good.
with said (job, fence, fraction, message) as (
    values (:job, :fence, :fraction, :message)
)
insert into windlass_progress (job, fence, fraction, message, at)
select s.job, s.fence, s.fraction, s.message, :now
  from said s
 where exists (select 1 from windlass_jobs j
                where j.id = s.job and j.fence = s.fence and j.worker is not null)
