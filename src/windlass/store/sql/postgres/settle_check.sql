-- Where the jobs of settlements stand that found no claim to end.
select id::text as id, state, fence, worker::text as worker, cancel_requested
  from windlass_every_job
 where id = any(:ids::uuid[])
