-- Remember that a job, which need not be kept yet, replays an old one.
insert into windlass_replays (job, old, at)
values (:job, :old, :now)
    on conflict (job) do nothing
