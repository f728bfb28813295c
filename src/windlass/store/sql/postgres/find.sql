-- These jobs, live or finished, in no order.
select * from windlass_every_job where id = any(:ids::uuid[])
