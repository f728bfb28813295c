-- Make a worker known.
insert into windlass_workers (id, node, pid, slots, threads, alone, types, queues, started_at)
values (:id, :node, :pid, :slots, :threads, :alone, :types, :queues, :now)
