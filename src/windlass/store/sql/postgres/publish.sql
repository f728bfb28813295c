-- Make types of job known; a row that says the same is left alone for an hour.
insert into windlass_types as known
       (type, queue, priority, threads, max_attempts, max_crashes, timeout, mode, description,
        schema, seen_at)
select t.*, :now
  from unnest(:type::text[], :queue::text[], :priority::int[], :threads::int[],
              :max_attempts::int[], :max_crashes::int[], :timeout::float8[], :mode::text[],
              :description::text[], :schema::text[]) as t
    on conflict (type) do update
       set queue = excluded.queue, priority = excluded.priority, threads = excluded.threads,
           max_attempts = excluded.max_attempts, max_crashes = excluded.max_crashes,
           timeout = excluded.timeout, mode = excluded.mode, description = excluded.description,
           schema = excluded.schema, seen_at = excluded.seen_at
     where known.seen_at < :now - interval '1 hour'
        or (known.queue, known.priority, known.threads, known.max_attempts, known.max_crashes,
            known.timeout, known.mode, known.description, known.schema)
           is distinct from
           (excluded.queue, excluded.priority, excluded.threads, excluded.max_attempts,
            excluded.max_crashes, excluded.timeout, excluded.mode, excluded.description,
            excluded.schema)
