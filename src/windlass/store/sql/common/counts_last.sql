-- The last count of live jobs that was not cheap, whether it will do, and the time.
select c.scheduled, c.pending, c.running, c.counted_at, coalesce(c.turn_at > t.now, false) as good, t.now
  from (select :now as now) t
  left join windlass_counts c on c.one
