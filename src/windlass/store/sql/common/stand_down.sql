-- Have no more jobs handed to a worker; answers with the number under which it stood by until now.
delete from windlass_standby where worker = :worker
returning number
