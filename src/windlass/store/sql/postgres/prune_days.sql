-- The days of history that are closed: no live job was made in them, and their last job is past retention.
select to_char(day, 'YYYYMMDD') as day
  from (select to_date(right(c.relname, 8), 'YYYYMMDD') as day
          from pg_inherits i
          join pg_class c on c.oid = i.inhrelid
         where i.inhparent = 'windlass_history'::regclass and c.relname ~ '_[0-9]{8}$') d
 where day + 1 <= (:now - :retention_us::bigint * interval '1 microsecond')::date
   and not exists (select from windlass_history
                    where id >= windlass_day_floor(day) and id < windlass_day_floor(day + 1)
                      and finished_at > :now - :retention_us::bigint * interval '1 microsecond')
   and not exists (select from windlass_jobs
                    where id >= windlass_day_floor(day) and id < windlass_day_floor(day + 1))
 order by day
