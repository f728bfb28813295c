-- Drop one day of history and all that was kept with its jobs.
select windlass_drop_day(:day::text::date)
