-- Put a hundred thousand jobs in line, in a thousand queues and with three priorities. One in
-- thirteen is of a type that nobody knows, one in five asks for one to eight threads.
insert into windlass_jobs (
       id, type, queue, state, lane, rank, priority, threads, payload, max_attempts, max_crashes,
       created_at, run_at)
select gen_random_uuid(),
       case when n % 13 = 0 then 'unknown' else 'nothing' end,
       'queue-' || (n * 7 % 1000),
       'pending',
       case when n % 5 = 0 then 'threads' else 'open' end,
       windlass_us(now()) + n * 20 - n % 3 * 60000000,
       n % 3,
       case when n % 5 = 0 then 1 + n / 5 % 8 else 0 end,
       '{"number": 12345}', 3, 3, now(), now()
  from generate_series(1, 100000) as n
