-- Whether somebody came alone and is in no line yet.
select 1 from windlass_newcomers limit 1
