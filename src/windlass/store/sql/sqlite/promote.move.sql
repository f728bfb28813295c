-- Put the chosen jobs in line.
update windlass_jobs set state = 'pending' where rowid in (select value from json_each(:chosen))
