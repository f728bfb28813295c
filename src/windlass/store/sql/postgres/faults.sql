-- What these finished jobs failed of.
select h.id::text as id, h.type, h.queue, left(h.error, 1000) as error, h.finished_at
  from unnest(:ids::uuid[]) as u(id),
       lateral (select * from windlass_history w where w.id = u.id limit 1) h
