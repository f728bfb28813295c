-- The job at which a walk over the :bound newest live jobs ends; none if they are fewer.
select id
  from windlass_jobs
 where id < :before and id >= :after
 order by id desc
 limit 1 offset :bound - 1
