-- The newest finished jobs; a bound that the planner can read keeps it on the index.
select id::text as id
  from (select id
          from windlass_history
         where id < :before::uuid and id >= :after::uuid
         order by id desc
         limit 10000) top
 limit :limit
