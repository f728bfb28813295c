-- Those who stand by take turns: who began first is handed the next job.
alter table windlass_standby add column since integer not null default 0;
