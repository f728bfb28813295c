-- How much waiting is worth one point of priority.
select aging_us from windlass_settings
