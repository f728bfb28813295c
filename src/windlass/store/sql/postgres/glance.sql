-- What tells whether jobs have changed since the last look.
select id::text as id, state, lane, fence, cancel_asked_at is not null as cancel_requested
  from windlass_jobs
 where id = any(:ids::uuid[])
 union all
select id::text, state, null, fence, false
  from windlass_history
 where id = any(:ids::uuid[])
