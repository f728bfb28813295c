-- Idle workers, each of which is handed the next job that comes alone by the commit that keeps it.
create table windlass_standby (
    worker text    not null primary key,
    number integer not null  -- tells this time from those before
) without rowid;
