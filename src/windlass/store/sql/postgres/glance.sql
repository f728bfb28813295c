-- What tells whether jobs have changed since the last look, and how far running ones say they are.
select u.id::text as id, j.state, j.lane, j.fence, j.cancel_requested, p.fraction, p.message, p.at
  from unnest(:ids::uuid[]) as u(id)
 cross join lateral (
       select state, lane, fence, cancel_requested from windlass_every_job e where e.id = u.id limit 1) j
  left join lateral (
       select w.fraction, w.message, w.at
         from windlass_progress w
        where j.state = 'running' and w.job = u.id and w.fence = j.fence
        order by w.at desc
        limit 1) p on true
