-- The job at which a walk over the :bound newest live jobs ends; none if they are fewer.
select id::text as id
  from (select id
          from windlass_jobs
         where id < :before::uuid and id >= :after::uuid
         order by id desc
         limit 20000) newest
 limit 1 offset :bound - 1
