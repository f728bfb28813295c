-- Forget nodes that ended without leaving, once nothing of theirs runs any more.
delete from windlass_nodes n
 where n.lease_until < :now - interval '1 hour'
   and not exists (select from windlass_workers w
                     join windlass_jobs j on j.worker = w.id and j.state = 'running'
                    where w.node = n.id)
