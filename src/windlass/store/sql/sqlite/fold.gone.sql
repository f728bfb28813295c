-- Remove rollups that were added up.
delete from windlass_rollups where rowid in (select value from json_each(:chosen))
