-- Idle workers, each of which is handed the next job that comes alone by the commit that keeps it.
-- A crash may empty it: who stands by looks again and again whether it still does.
create unlogged table windlass_standby (
    worker uuid   primary key,
    number bigint not null  -- tells this time from those before
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
