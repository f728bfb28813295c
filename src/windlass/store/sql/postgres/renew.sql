-- Extend a node's lease, and tell it what it needs to know of the fleet.
with renewed as (
    update windlass_nodes
       set lease_until = :now + :lease_us::bigint * interval '1 microsecond', renewed_at = :now
     where id = :node::uuid
    returning 1
)
select windlass_us(:now) as now_us,
       (select aging_us from windlass_settings) as aging_us,
       (select coalesce(max(w.threads), 0)
          from windlass_workers w
          join windlass_nodes n on n.id = w.node
         where w.ended_at is null and not w.alone
           and (n.lease_until > :now or n.id = :node::uuid)) as widest,
       (select count(*)
          from (select from windlass_jobs where state = 'pending' and lane = 'alone' limit 8) s)
           as suspects,
       array(select id::text from windlass_workers where node = :node::uuid and drain_at is not null)
           as draining
  from renewed
