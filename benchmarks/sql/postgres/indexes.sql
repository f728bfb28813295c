-- The indexes of a table that can be done without for a while, and how each was made.
select indexname, replace(indexdef, ' ON ONLY ', ' ON ')
  from pg_indexes
 where schemaname = 'public' and tablename = :table and indexdef not like '%UNIQUE%'
