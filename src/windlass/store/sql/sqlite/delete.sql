-- The finished jobs among these, which `delete.*` will forget.
select id from windlass_history where id in (select value from json_each(:ids))
