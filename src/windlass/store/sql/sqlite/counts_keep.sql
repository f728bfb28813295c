-- Keep a count of live jobs that was not cheap, until it is worth its cost to count again.
insert into windlass_counts (one, scheduled, pending, running, took_us, counted_at, turn_at)
values (1, :scheduled, :pending, :running, :took_us, :now, :now + :rests * :took_us)
    on conflict (one) do update
       set scheduled = excluded.scheduled, pending = excluded.pending, running = excluded.running,
           took_us = excluded.took_us, counted_at = excluded.counted_at, turn_at = excluded.turn_at
