-- The number under which a worker stands by.
select number from windlass_standby where worker = :worker
