-- History is one table here: no day of it needs room.
select null as day where false
