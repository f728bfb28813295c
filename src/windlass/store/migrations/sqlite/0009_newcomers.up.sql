-- Jobs that came alone, until whoever writes next puts them in line: a commit there changes four pages, here one.
create table windlass_newcomers (
    id           text    not null primary key,
    type         text    not null,
    queue        text    not null,
    name         text,
    rank         integer not null,
    priority     integer not null,
    threads      integer not null,
    payload      text    not null,
    max_attempts integer not null,
    max_crashes  integer not null,
    policy       text,
    created_at   integer not null
) without rowid;
