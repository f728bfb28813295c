-- How many live jobs there are in each state; counting all and taking away the few is quickest.
with few as materialized (
    select (select count(*) from windlass_jobs where state = 'scheduled') as scheduled,
           (select count(*) from windlass_jobs where state = 'running') as running
)
select 'scheduled' as state, scheduled as jobs from few
 union all
select 'running', running from few
 union all
select 'pending', (select count(*) from windlass_jobs) - scheduled - running from few
