-- Have the next job that comes alone handed to a worker, under this number, once those before it had theirs.
-- An earlier number that comes late changes nothing.
insert into windlass_standby (worker, number, since)
values (:worker, :number, :now)
    on conflict (worker) do update set number = excluded.number, since = excluded.since
 where windlass_standby.number < excluded.number
