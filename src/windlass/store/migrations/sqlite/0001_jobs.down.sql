-- Take everything away again, jobs included.

drop view windlass_every_job;
drop view windlass_finished_jobs;
drop view windlass_live_jobs;
drop table windlass_settings;
drop table windlass_jobs;
drop table windlass_history;
drop table windlass_attempts;
drop table windlass_lines;
drop table windlass_progress;
drop table windlass_files;
drop table windlass_keys;
drop table windlass_rollups;
drop table windlass_queues;
drop table windlass_workers;
drop table windlass_nodes;
