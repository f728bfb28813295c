-- The last census of the fleet, and the time; whoever writes is alone.
select lines, :now as now from windlass_census
