-- Take back what a re-sent enqueue has put in line though it has run already: its id is in history.
-- The ids are told twice, so that neither table is read from end to end, whatever is known of them.
delete from windlass_jobs
 where id = any(:ids::uuid[])
   and id in (select id from windlass_history where id = any(:ids::uuid[]))
