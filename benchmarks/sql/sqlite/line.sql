-- Put :count jobs that do nothing in line behind :before others, in :queues queues. They came a
-- thousand at a time, and their ids ascend as those of today do.
insert into windlass_jobs (
       id, type, queue, state, lane, rank, priority, threads, payload, max_attempts, max_crashes,
       created_at, run_at)
  with recursive numbers (n) as (
       select 1 union all select n + 1 from numbers where n < cast(:count as integer))
select printf('%08x-%04x-7000-8000-%012x', ms >> 16, ms & 65535, cast(:before as integer) + n),
       'nothing', 'queue-' || (n % cast(:queues as integer)), 'pending', 'open',
       ms * 1000 + n / 1000, 0, 0,
       '{"user":"ada@example.org","number":' || n || ',"note":"' || printf('%.60c', 'x') || '"}',
       3, 3, ms * 1000, ms * 1000
  from numbers,
       (select cast((julianday('now') - 2440587.5) * 86400000 as integer) as ms)
