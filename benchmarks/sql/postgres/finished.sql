-- Put :count finished jobs into history, after :before others, with ids as they would be today.
insert into windlass_history (
       id, type, queue, state, priority, threads, payload, attempts, failures, crashes,
       max_attempts, max_crashes, fence, worker, created_at, run_at, started_at, finished_at)
select (substr(windlass_day_floor((now() at time zone 'utc')::date)::text, 1, 13)
           || '-7000-8000-' || lpad(to_hex(:before::bigint + n), 12, '0'))::uuid,
       'old', 'queue-' || (n % 20), 'completed', 0, 0, payload, 1, 0, 0,
       3, 3, 1, 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa', now(), now(), now(), now()
  from generate_series(1, :count::integer) as n,
       (select json_build_object('user', 'ada@example.org', 'number', 12345,
                                 'note', repeat('x', 60)) as payload) same
