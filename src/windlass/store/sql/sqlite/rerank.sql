-- The last id of the next chunk, which `rerank.move` will give the rank of the present aging.
select max(id) as id
  from (select id from windlass_jobs where id > :after order by id limit :limit)
