-- These jobs, live or finished, in no order.
select j.*
  from unnest(:ids::uuid[]) as u(id),
       lateral (select * from windlass_every_job e where e.id = u.id limit 1) j
