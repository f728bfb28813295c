-- The types of job that workers have published, with how many live workers know each.
select t.*,
       (select count(*)
          from windlass_workers w
          join windlass_nodes n on n.id = w.node
         where w.ended_at is null and not w.alone and n.lease_until > :now
           and t.type in (select value from json_each(w.types))) as workers
  from windlass_types t
 order by t.type
