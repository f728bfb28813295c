-- The rollups older than :age_us that `fold.*` will merge into bins of :grain seconds, once a bin is full.
select count(*) as folded, json_group_array(row) as chosen
  from (select rowid as row
          from windlass_rollups
         where grain = :finer and at < (:now - :age_us) / (:grain * 1000000) * (:grain * 1000000)
         order by at
         limit :limit)
