-- Back to a store that remembers no more of what it did than its jobs and totals.
drop table windlass_replays;
alter table windlass_workers drop column drain_by;
alter table windlass_workers drop column drain_at;
alter table windlass_nodes drop column renewed_at;
drop table windlass_pulse;
drop table windlass_trends;
