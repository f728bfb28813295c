-- Take everything away again, jobs included.

drop view windlass_every_job;
drop table windlass_settings, windlass_jobs, windlass_history, windlass_attempts, windlass_lines,
           windlass_progress, windlass_files, windlass_keys, windlass_rollups, windlass_queues,
           windlass_workers, windlass_nodes;
drop function windlass_open_day(date), windlass_drop_day(date), windlass_day_floor(date), windlass_us(timestamptz),
              windlass_now();
