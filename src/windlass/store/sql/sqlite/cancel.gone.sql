-- Take cancelled jobs out of the line.
delete from windlass_jobs where id in (select value from json_each(:ids)) and state <> 'running'
