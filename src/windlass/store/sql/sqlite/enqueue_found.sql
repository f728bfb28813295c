-- Which of these ids are in history: a re-sent enqueue finds here what already ran.
select id from windlass_history where id in (select value from json_each(:ids))
