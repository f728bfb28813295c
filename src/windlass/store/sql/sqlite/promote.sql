-- The due jobs that `promote.move` will put in line, and when the next one is due after them.
select count(*) as promoted, json_group_array(distinct queue) as queues,
       json_group_array(row) as chosen, max(threads > 0) as wide,
       (select (run_at - :now) / 1000000.0
          from windlass_jobs
         where state = 'scheduled' and run_at > :now
         order by run_at
         limit 1) as next_in
  from (select rowid as row, queue, threads
          from windlass_jobs
         where state = 'scheduled' and run_at <= :now
         order by run_at
         limit :limit)
