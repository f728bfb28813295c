-- Extend a node's lease.
update windlass_nodes set lease_until = :now + :lease_us where id = :node
