-- Make a node known and grant its first lease.
insert into windlass_nodes (id, host, pid, version, started_at, renewed_at, lease_until)
values (:id::uuid, :host, :pid, :version, :now, :now,
        :now + :lease_us::bigint * interval '1 microsecond')
