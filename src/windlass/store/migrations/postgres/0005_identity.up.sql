-- What tells one store from another, where they share a Redis.
alter table windlass_settings add column identity uuid not null default gen_random_uuid();
