-- Keep a census for the fleet.
update windlass_census set counted_at = :now, cost_us = :cost_us, lines = :lines
