-- The errors of these jobs, as far as they have one; the newest first.
select j.id, substr(j.error, 1, 500) as error
  from (select id, error from windlass_jobs where id in (select value from json_each(:ids))
         union all
        select id, error from windlass_history where id in (select value from json_each(:ids))) j
 where j.error is not null
 order by j.id desc
