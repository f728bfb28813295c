-- The indexes of a table that can be done without for a while, and how each was made.
select name, sql from sqlite_schema where type = 'index' and tbl_name = :table and sql is not null
