-- Forget a node and its workers.
delete from windlass_nodes where id = :node
