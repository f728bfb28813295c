-- What tells whether jobs have changed since the last look.
select u.id::text as id, j.state, j.lane, j.fence, j.cancel_requested
  from unnest(:ids::uuid[]) as u(id),
       lateral (select state, lane, fence, cancel_requested
                  from windlass_every_job e
                 where e.id = u.id
                 limit 1) j
