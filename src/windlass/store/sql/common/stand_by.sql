-- Have the next job that comes alone handed to a worker, under this number.
-- An earlier number that comes late changes nothing.
insert into windlass_standby (worker, number)
values (:worker, :number)
    on conflict (worker) do update set number = excluded.number
 where windlass_standby.number < excluded.number
