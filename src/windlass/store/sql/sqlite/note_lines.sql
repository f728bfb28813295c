-- Keep log lines of attempts whose claim is still good; a line sent twice is kept once.
with said (job, fence, number, level, message) as (
    values (:job, :fence, :number, :level, :message)
)
insert into windlass_lines (job, fence, number, level, message, at)
select s.job, s.fence, s.number, s.level, s.message, :now
  from said s
 where exists (select 1 from windlass_jobs j
                where j.id = s.job and j.fence = s.fence and j.worker is not null)
    on conflict do nothing
