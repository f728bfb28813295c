-- How many jobs of a drain ended, how many of them by one good attempt, and in how many seconds.
-- Ids ascend, so what was in history before stands below :first.
select count(*),
       sum(state = 'completed' and attempts = 1 and fence = 1),
       (max(finished_at) - min(started_at)) / 1e6
  from windlass_history
 where id >= :first
