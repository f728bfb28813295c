-- What lists, counts and callers elsewhere go by: indexes of history, the last count, types of job.

drop index windlass_history_type;
drop index windlass_history_queue;
create index windlass_history_type on windlass_history (type, state, id);
create index windlass_history_queue on windlass_history (queue, type, state, id);

-- The last count of live jobs that was not cheap; whoever counts next takes its turn here.
create table windlass_counts (
    one        integer not null primary key default 1 check (one = 1),
    scheduled  integer not null default 0,
    pending    integer not null default 0,
    running    integer not null default 0,
    took_us    integer not null default 0,
    counted_at integer not null,
    turn_at    integer not null
);

create table windlass_types (
    type         text not null primary key,
    queue        text not null,
    priority     integer not null,
    threads      integer not null,
    max_attempts integer not null,
    max_crashes  integer not null,
    timeout      real,
    mode         text not null,
    description  text,
    schema       text not null,
    seen_at      integer not null
);
