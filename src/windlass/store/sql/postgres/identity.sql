-- What tells this store from every other, a copy of it on the same server included.
select identity || ':' || oid || ':' || datname as identity
  from windlass_settings, pg_database
 where datname = current_database()
