-- Merge rollups older than :age_us into bins of :grain seconds; the finest are added to the totals first.
-- Bins are of what ended only: that some of it was retried or deleted since is in the totals.
with old as (
    select ctid as row
      from windlass_rollups
     where grain = :finer
       and at < date_bin(:grain::integer * interval '1 second',
                         :now - :age_us::bigint * interval '1 microsecond', 'epoch')
     order by at
     limit :limit
       for update skip locked
),
taken as (
    delete from windlass_rollups where ctid = any(array(select row from old)) returning *
),
added as (
    insert into windlass_totals as t (queue, type, state, jobs, ended, waited_us, ran_us)
    select queue, type, state, sum(jobs), sum(greatest(jobs, 0)), sum(greatest(waited_us, 0)),
           sum(greatest(ran_us, 0))
      from taken
     where grain = 0
     group by queue, type, state
     order by queue, type, state -- so that two who fold never wait for each other in a ring
        on conflict (queue, type, state) do update
       set jobs = t.jobs + excluded.jobs, ended = t.ended + excluded.ended,
           waited_us = t.waited_us + excluded.waited_us, ran_us = t.ran_us + excluded.ran_us
),
merged as (
    insert into windlass_rollups (at, grain, queue, type, state, jobs, waited_us, ran_us)
    select date_bin(:grain::integer * interval '1 second', at, 'epoch'), :grain, queue, type, state,
           sum(jobs), sum(waited_us), sum(ran_us)
      from taken
     where jobs > 0
     group by 1, queue, type, state
)
select count(*) as folded from taken
