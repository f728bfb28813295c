-- The nodes that have not left, and whether their lease is good.
select id::text as id, host, pid, version, started_at, lease_until, lease_until > :now as alive
  from windlass_nodes
 order by started_at
