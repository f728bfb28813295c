-- What tells one store from another, where they share a Redis.
alter table windlass_settings add column identity text;
update windlass_settings set identity = lower(hex(randomblob(16)));
