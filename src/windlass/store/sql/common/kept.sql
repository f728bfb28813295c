-- A file kept with a job.
select name, media_type, content from windlass_files where job = :id and name = :name
