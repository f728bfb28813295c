-- Wait no longer than this for a key that somebody's open transaction holds.
select set_config('lock_timeout', :patience, true)
