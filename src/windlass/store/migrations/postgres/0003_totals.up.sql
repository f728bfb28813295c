-- Totals that only grow, and what was live when somebody last counted.

create table windlass_totals (
    queue     text   not null,
    type      text   not null,
    state     text   not null,
    jobs      bigint not null,
    ended     bigint not null,
    waited_us bigint not null,
    ran_us    bigint not null,
    primary key (queue, type, state)
) with (fillfactor = 50);

comment on column windlass_totals.jobs is 'How many there are: retried, deleted and pruned ones are gone.';
comment on column windlass_totals.ended is 'How many there ever were; never less than before.';

insert into windlass_totals (queue, type, state, jobs, ended, waited_us, ran_us)
select queue, type, state, sum(jobs), sum(greatest(jobs, 0)), sum(greatest(waited_us, 0)),
       sum(greatest(ran_us, 0))
  from windlass_rollups
 where grain > 0
 group by queue, type, state;
delete from windlass_rollups where grain > 0 and jobs <= 0;

create table windlass_census (
    one        boolean     primary key default true check (one),
    counted_at timestamptz not null default 'epoch',
    cost_us    bigint      not null default 0,
    lines      text        not null default '[]'
);
insert into windlass_census default values;
