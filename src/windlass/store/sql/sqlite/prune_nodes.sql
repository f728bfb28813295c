-- Forget nodes that ended without leaving, once nothing of theirs runs any more.
delete from windlass_nodes
 where lease_until < :now - 3600000000
   and not exists (select 1
                     from windlass_workers w
                     join windlass_jobs j on j.worker = w.id and j.state = 'running'
                    where w.node = windlass_nodes.id)
