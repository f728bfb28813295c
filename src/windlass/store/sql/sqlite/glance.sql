-- What tells whether jobs have changed since the last look, and how far running ones say they are.
select j.id, j.state, j.lane, j.fence, j.cancel_asked_at is not null as cancel_requested,
       p.fraction, p.message, p.at
  from windlass_jobs j
  left join windlass_progress p
    on p.rowid = (select w.rowid
                    from windlass_progress w
                   where j.state = 'running' and w.job = j.id and w.fence = j.fence
                   order by w.at desc
                   limit 1)
 where j.id in (select value from json_each(:ids))
 union all
select id, state, null, fence, false, null, null, null
  from windlass_history
 where id in (select value from json_each(:ids))
