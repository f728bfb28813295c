-- Take back what a re-sent enqueue has put in line though it has run already: its id is in history.
delete from windlass_jobs
 where id in (select id from windlass_history where id in (select value from json_each(:ids)))
