-- The last census of the fleet, and the time.
select counted_at, cost_us, lines, :now as now from windlass_census
