-- Totals that only grow, and what was live when somebody last counted.
-- Of `jobs` there are so many now, and of `ended` there ever were: those are never less than before.

create table windlass_totals (
    queue     text    not null,
    type      text    not null,
    state     text    not null,
    jobs      integer not null,
    ended     integer not null,
    waited_us integer not null,
    ran_us    integer not null,
    primary key (queue, type, state)
) without rowid;

insert into windlass_totals (queue, type, state, jobs, ended, waited_us, ran_us)
select queue, type, state, sum(jobs), sum(max(jobs, 0)), sum(max(waited_us, 0)), sum(max(ran_us, 0))
  from windlass_rollups
 where grain > 0
 group by queue, type, state;
delete from windlass_rollups where grain > 0 and jobs <= 0;

create table windlass_census (
    one        integer primary key default 1 check (one = 1),
    counted_at integer not null default 0,
    cost_us    integer not null default 0,
    lines      text    not null default '[]'
);
insert into windlass_census default values;
