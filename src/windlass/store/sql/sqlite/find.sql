-- These jobs, live or finished, in no order; asked of the view, SQLite would read everything.
select * from windlass_live_jobs where id in (select value from json_each(:ids))
 union all
select * from windlass_finished_jobs where id in (select value from json_each(:ids))
