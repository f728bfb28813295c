-- Move the chosen jobs out of the way.
update windlass_jobs set lane = 'parked' where rowid in (select value from json_each(:chosen))
