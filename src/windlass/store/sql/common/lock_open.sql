-- Make a lock that anybody can take.
insert into windlass_locks (name, token, until)
values (:name, 0, :now)
    on conflict do nothing
