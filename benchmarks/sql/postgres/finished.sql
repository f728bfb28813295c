-- Put half a million finished jobs into history, with ids as they would be today.
insert into windlass_history (
       id, type, queue, state, priority, threads, payload, attempts, failures, crashes,
       max_attempts, max_crashes, fence, worker, created_at, run_at, started_at, finished_at)
select (substr(windlass_day_floor((now() at time zone 'utc')::date)::text, 1, 13)
           || '-7000-8000-' || lpad(to_hex(done + n), 12, '0'))::uuid,
       'old', 'queue-' || (n % 20), 'completed', 0, 0, payload, 1, 0, 0,
       3, 3, 1, gen_random_uuid(), now(), now(), now(), now()
  from generate_series(1, 500000) as n,
       (select count(*) as done from windlass_history) before,
       (select json_build_object('user', 'ada@example.org', 'number', 12345,
                                 'note', repeat('x', 60)) as payload) same
