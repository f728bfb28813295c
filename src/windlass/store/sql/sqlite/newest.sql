-- The newest jobs, live and finished, and what tells whether they have changed.
select id, state, fence
  from (select * from (select id, state, fence
                         from windlass_jobs where id > '' order by id desc limit 200)
         union all
        select * from (select id, state, fence
                         from windlass_history where id > '' order by id desc limit 200))
 order by id desc
 limit 200
