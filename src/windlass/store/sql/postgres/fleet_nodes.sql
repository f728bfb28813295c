-- The nodes that have not left, whether their lease is good, and when they were last heard of.
select id::text as id, host, pid, version, started_at, lease_until, lease_until > :now as alive,
       coalesce(renewed_at, started_at) as renewed_at, :now as now
  from windlass_nodes
 order by started_at
