-- Merge rollups older than :age_us into bins of :grain seconds; their sums stay the same.
with old as (
    select ctid as row
      from windlass_rollups
     where grain = :finer and at < :now - :age_us::bigint * interval '1 microsecond'
     order by at
     limit :limit
       for update skip locked
),
taken as (
    delete from windlass_rollups where ctid = any(array(select row from old)) returning *
),
merged as (
    insert into windlass_rollups (at, grain, queue, type, state, jobs, waited_us, ran_us)
    select date_bin(:grain::integer * interval '1 second', at, 'epoch'), :grain, queue, type, state,
           sum(jobs), sum(waited_us), sum(ran_us)
      from taken
     group by 1, queue, type, state
)
select count(*) as folded from taken
