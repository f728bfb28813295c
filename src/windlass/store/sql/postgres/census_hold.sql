-- The last census of the fleet, held until the next one is kept; and the time.
select lines, :now as now from windlass_census for update
