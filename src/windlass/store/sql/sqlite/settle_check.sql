-- Where the jobs of settlements stand that found no claim to end.
select id, state, fence, worker, cancel_requested
  from windlass_every_job
 where id in (select value from json_each(:ids))
