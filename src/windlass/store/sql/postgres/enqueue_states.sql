-- Which of these new jobs wait for a later time; `|| ''` keeps the planner from reading all that wait.
select id::text as id
  from windlass_jobs
 where id = any(:ids::uuid[]) and state || '' = 'scheduled'
