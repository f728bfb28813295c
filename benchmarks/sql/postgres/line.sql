-- Put :count jobs that do nothing in line behind :before others, in :queues queues. They came a
-- thousand at a time, and their ids ascend as those of today do.
insert into windlass_jobs (
       id, type, queue, state, lane, rank, priority, threads, payload, max_attempts, max_crashes,
       created_at, run_at)
select (lpad(to_hex(us / 1000), 12, '0') || '70008000'
        || lpad(to_hex(:before::integer + n), 12, '0'))::uuid,
       'nothing', 'queue-' || (n % :queues::integer), 'pending', 'open', us + n / 1000, 0, 0,
       ('{"user":"ada@example.org","number":' || n || ',"note":"' || repeat('x', 60) || '"}')::json,
       3, 3, at, at
  from generate_series(1, :count::integer) as n,
       (select now() as at, windlass_us(now()) as us) as moment
