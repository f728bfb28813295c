-- Only SQLite keeps newcomers apart; here a commit waits for the disk, not for pages.
comment on column windlass_jobs.lane is 'The line in which the job stands while it is pending.';
