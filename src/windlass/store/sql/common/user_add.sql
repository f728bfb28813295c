-- Make a user known; nothing is answered if the name is taken.
insert into windlass_users (name, password, scopes, created_at, changed_at)
values (:name, :password, :scopes, :now, :now)
    on conflict (name) do nothing
returning name
