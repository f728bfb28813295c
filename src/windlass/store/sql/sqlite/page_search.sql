-- Those of these jobs that fit what no index knows; the newest first.
select j.id
  from (select * from windlass_live_jobs where id in (select value from json_each(:ids))
         union all
        select * from windlass_finished_jobs where id in (select value from json_each(:ids))) j
 where (:name is null or j.name = :name)
   and (:key is null or j.key = :key)
   and (:error is null or instr(lower(j.error), lower(:error)) > 0)
   and not exists (
       select 1
         from json_each(:fields) f
        where not exists (
              select 1
                from json_each(f.value, '$.ways') w
               where json_extract(j.payload, w.value) is json_extract(f.value, '$.wanted')
                 and replace(json_type(j.payload, w.value), 'real', 'integer')
                     = replace(json_type(f.value, '$.wanted'), 'real', 'integer')))
   and (:finished_us is null or j.finished_at is null or j.finished_at < :finished_us)
 order by j.id desc
 limit :limit
