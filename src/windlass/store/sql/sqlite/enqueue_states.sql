-- Which of these new jobs wait for a later time.
select id
  from windlass_jobs
 where id in (select value from json_each(:ids)) and +state = 'scheduled'
