-- Take the jobs that were just put into history out of the live ones.
delete from windlass_jobs where id in (select id from windlass_history where rowid > :mark)
