-- The errors of these jobs, as far as they have one; the newest first.
select j.id::text as id, left(j.error, 500) as error
  from unnest(:ids::uuid[]) as u(id),
       lateral (select e.id, e.error from windlass_every_job e where e.id = u.id limit 1) j
 where j.error is not null
 order by j.id desc
