-- Where the jobs of settlements stand that found no claim to end.
select id, state, fence, worker, cancel_requested
  from windlass_live_jobs
 where id in (select value from json_each(:ids))
 union all
select id, state, fence, worker, cancel_requested
  from windlass_finished_jobs
 where id in (select value from json_each(:ids))
