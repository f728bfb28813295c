-- What lists, counts and callers elsewhere go by: indexes of history, the last count, types of job.

drop index windlass_history_type;
drop index windlass_history_queue;
create index windlass_history_type on windlass_history (type, state, id);
create index windlass_history_queue on windlass_history (queue, type, state, id);

-- The last count of live jobs that was not cheap; whoever counts next takes its turn here.
create table windlass_counts (
    one        boolean     primary key default true check (one),
    scheduled  bigint not null default 0,
    pending    bigint not null default 0,
    running    bigint not null default 0,
    took_us    bigint not null default 0,
    counted_at timestamptz not null,
    turn_at    timestamptz not null
);

create table windlass_types (
    type         text not null primary key,
    queue        text not null,
    priority     integer not null,
    threads      integer not null,
    max_attempts integer not null,
    max_crashes  integer not null,
    timeout      double precision,
    mode         text not null,
    description  text,
    schema       text not null,
    seen_at      timestamptz not null
);
