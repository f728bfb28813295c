-- History is one table here: no day of it can be dropped.
select null as day where false
