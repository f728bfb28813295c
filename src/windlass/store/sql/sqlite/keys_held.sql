-- Who holds these keys, and what became of their jobs.
select k.key, k.job, k.fingerprint, coalesce(j.state, h.state) as state
  from windlass_keys k
  left join windlass_jobs j on j.id = k.job
  left join windlass_history h on h.id = k.job
 where k.key in (select value from json_each(:keys))
