-- What those who watch are shown: how things went, who drains, and which job was replayed as which.

-- Counts and times by stretch of time; `grain` is its length in seconds.
create table windlass_trends (
    grain    integer not null,
    at_us    bigint  not null,
    document text    not null,
    primary key (grain, at_us)
);

-- What had been counted when somebody last wrote into the trends.
create table windlass_pulse (
    one      boolean primary key default true check (one),
    document text    not null default ''
);
insert into windlass_pulse default values;

alter table windlass_nodes add column renewed_at timestamptz;
alter table windlass_workers add column drain_at timestamptz;
alter table windlass_workers add column drain_by text;

create table windlass_replays (
    job uuid        not null primary key,
    old uuid        not null,
    at  timestamptz not null
);
create index windlass_replays_old on windlass_replays (old);
