-- These jobs, live or finished, in no order.
select * from windlass_every_job where id in (select value from json_each(:ids))
