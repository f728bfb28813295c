-- Put jobs for later in line at once.
with moment as materialized (
    select at, windlass_us(at) as us from (select :now as at) clock
),
held as materialized (
    select j.id, j.state
      from unnest(:ids::uuid[]) as u(id),
           lateral (select w.id, w.state from windlass_jobs w where w.id = u.id limit 1 for update) j
)
update windlass_jobs j
   set state = 'pending', run_at = moment.at,
       rank = moment.us - j.priority * (select aging_us from windlass_settings)
  from moment
 where j.id = any(array(select id from held where state = 'scheduled'))
returning j.id::text as id
