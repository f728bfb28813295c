-- One job, live or finished.
select * from windlass_every_job where id = :id
