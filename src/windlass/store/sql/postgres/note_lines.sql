-- Keep log lines of attempts whose claim is still good; a line sent twice is kept once.
insert into windlass_lines (job, fence, number, level, message, at)
select l.job, l.fence, l.number, l.level, l.message, :now
  from unnest(:job::uuid[], :fence::bigint[], :number::integer[], :level::text[], :message::text[])
       as l(job, fence, number, level, message)
 where exists (select from windlass_jobs j
                where j.id = l.job and j.fence = l.fence and j.worker is not null)
    on conflict do nothing
