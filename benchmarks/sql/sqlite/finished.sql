-- Put :count finished jobs into history, after :before others, with ids as they would be today.
insert into windlass_history (
       id, type, queue, state, priority, threads, payload, attempts, failures, crashes,
       max_attempts, max_crashes, fence, worker, created_at, run_at, started_at, finished_at)
  with recursive numbers (n) as (
       select 1 union all select n + 1 from numbers where n < cast(:count as integer))
select printf('%08x-%04x-7000-8000-%012x', ms >> 16, ms & 65535, cast(:before as integer) + n),
       'old', 'queue-' || (n % 20), 'completed', 0, 0, payload, 1, 0, 0,
       3, 3, 1, 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa', us, us, us, us
  from numbers,
       (select unixepoch('now', 'start of day') * 1000 as ms, unixepoch() * 1000000 as us),
       (select json_object('user', 'ada@example.org', 'number', 12345,
                           'note', printf('%.60c', 'x')) as payload)
