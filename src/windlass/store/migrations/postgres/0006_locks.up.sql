-- Locks by name, and the numbers that their holders are told apart by.
create sequence windlass_lock_tokens;

create table windlass_locks (
    name  text not null primary key,
    token bigint not null,
    until timestamptz not null,
    -- Who waits longest, and until when the lock is kept for them once it is free.
    next       text,
    next_until timestamptz
);
