-- Keep a file with its job while the claim is good; the latest of a name wins.
insert into windlass_files (job, name, media_type, content)
select j.id, :name, :media_type, :content
  from windlass_jobs j
 where j.id = :id and j.fence = :fence and j.worker is not null
    on conflict (job, name) do update
       set media_type = excluded.media_type, content = excluded.content
returning 1 as kept
