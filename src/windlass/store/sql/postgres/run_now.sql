-- Put jobs for later in line at once.
with moment as materialized (
    select at, windlass_us(at) as us from (select :now as at) clock
)
update windlass_jobs j
   set state = 'pending', run_at = moment.at,
       rank = moment.us - j.priority * (select aging_us from windlass_settings)
  from moment
 where j.id = any(:ids::uuid[]) and j.state = 'scheduled'
returning j.id::text as id
