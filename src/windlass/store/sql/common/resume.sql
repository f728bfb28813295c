-- Let the jobs of a queue be claimed again.
delete from windlass_queues where name = :queue
