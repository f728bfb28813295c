-- Those who stand by take turns: who began first is handed the next job.
alter table windlass_standby add column since timestamptz not null default clock_timestamp();
