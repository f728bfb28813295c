-- Make types of job known; a row that says the same is left alone for an hour.
with published (type, queue, priority, threads, max_attempts, max_crashes, timeout, mode,
                description, schema) as (
    values (:type, :queue, :priority, :threads, :max_attempts, :max_crashes, :timeout, :mode,
            :description, :schema)
)
insert into windlass_types as known
       (type, queue, priority, threads, max_attempts, max_crashes, timeout, mode, description,
        schema, seen_at)
select published.*, :now
  from published
 where type is not null
    on conflict (type) do update
       set queue = excluded.queue, priority = excluded.priority, threads = excluded.threads,
           max_attempts = excluded.max_attempts, max_crashes = excluded.max_crashes,
           timeout = excluded.timeout, mode = excluded.mode, description = excluded.description,
           schema = excluded.schema, seen_at = excluded.seen_at
     where known.seen_at < :now - 3600000000
        or (known.queue, known.priority, known.threads, known.max_attempts, known.max_crashes,
            known.timeout, known.mode, known.description, known.schema)
           is not
           (excluded.queue, excluded.priority, excluded.threads, excluded.max_attempts,
            excluded.max_crashes, excluded.timeout, excluded.mode, excluded.description,
            excluded.schema)
