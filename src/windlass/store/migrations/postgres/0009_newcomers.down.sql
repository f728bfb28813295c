-- Say nothing of the column.
comment on column windlass_jobs.lane is null;
