-- Forget the lines of jobs.
delete from windlass_lines where job in (select value from json_each(:ids))
