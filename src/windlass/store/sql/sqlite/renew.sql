-- What a node needs to know of the fleet.
select :now as now_us,
       (select aging_us from windlass_settings) as aging_us,
       (select coalesce(max(w.threads), 0)
          from windlass_workers w
          join windlass_nodes n on n.id = w.node
         where w.ended_at is null and not w.alone and n.lease_until > :now) as widest,
       (select count(*)
          from (select 1 from windlass_jobs where state = 'pending' and lane = 'alone' limit 8))
           as suspects,
       (select json_group_array(id) from windlass_workers where node = :node and drain_at is not null)
           as draining
