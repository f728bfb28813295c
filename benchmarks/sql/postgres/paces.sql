-- Jobs per second over the whole time, and over its last third, where a decay would show.
  with span as (
       select min(started_at) as began, max(finished_at) as ended from windlass_history)
select (count(*) / extract(epoch from max(ended) - min(began)))::float8,
       (count(*) filter (where finished_at > ended - (ended - began) / 3)
           / extract(epoch from (max(ended) - min(began)) / 3))::float8
  from windlass_history, span
