-- Locks by name, and the numbers that their holders are told apart by.
create table windlass_locks (
    name  text not null primary key,
    token integer not null,
    until integer not null,
    -- Who waits longest, and until when the lock is kept for them once it is free.
    next       text,
    next_until integer
);

create index windlass_locks_token on windlass_locks (token);
