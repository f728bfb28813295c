-- Extend a node's lease.
update windlass_nodes set lease_until = :now + :lease_us, renewed_at = :now where id = :node
