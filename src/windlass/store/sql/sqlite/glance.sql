-- What tells whether jobs have changed since the last look.
select id, state, lane, fence, cancel_asked_at is not null as cancel_requested
  from windlass_jobs
 where id in (select value from json_each(:ids))
 union all
select id, state, null, fence, false
  from windlass_history
 where id in (select value from json_each(:ids))
