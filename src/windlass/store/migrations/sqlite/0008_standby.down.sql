-- Back to a store in which every job is claimed after it was kept.
drop table windlass_standby;
