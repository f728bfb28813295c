-- Make room for the days to come, so that no job falls into the odd partition.
select windlass_open_day((:now at time zone 'utc')::date + ahead) from generate_series(0, 3) as ahead
