-- Whether the newest job came alone and is in no line yet.
select 1 from windlass_jobs where rowid = (select max(rowid) from windlass_jobs) and lane is null
