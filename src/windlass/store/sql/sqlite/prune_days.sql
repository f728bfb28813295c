-- History is one table here: no day of it can be dropped, whatever the retention.
select null as day where false and :retention_us
