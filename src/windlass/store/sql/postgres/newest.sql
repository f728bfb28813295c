-- The newest jobs, live and finished, and what tells whether they have changed.
select id::text as id, state, fence
  from ((select id, state, fence from windlass_jobs order by id desc limit 200)
         union all
        (select id, state, fence from windlass_history order by id desc limit 200)) newest
 order by id desc
 limit 200
