-- Let no job of a queue be claimed from now on.
insert into windlass_queues (name, paused_at, paused_by)
values (:queue, :now, :by)
    on conflict (name) do nothing
