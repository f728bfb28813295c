-- Let the jobs go that were put in line.
delete from windlass_newcomers
