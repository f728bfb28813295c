-- Which of these ids are in history: a re-sent enqueue finds here what already ran.
select id::text as id from windlass_history where id = any(:ids::uuid[])
