-- Those of these jobs that fit what no index knows; the newest first.
select j.id::text as id
  from unnest(:ids::uuid[]) as u(id),
       lateral (select * from windlass_every_job e where e.id = u.id limit 1) j
 where (:name::text is null or j.name = :name::text)
   and (:key::text is null or j.key = :key::text)
   and (:error::text is null
        or strpos(translate(j.error, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'),
                  translate(:error::text, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')) > 0)
   and not exists (
       select
         from json_array_elements(:fields::json) f
        where (j.payload #> array(select json_array_elements_text(f -> 'path')))::jsonb
              is distinct from (f -> 'wanted')::jsonb)
   and (:finished_us::bigint is null or j.finished_at is null
        or windlass_us(j.finished_at) < :finished_us::bigint)
 order by j.id desc
 limit :limit
