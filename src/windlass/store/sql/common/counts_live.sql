-- How many live jobs there are in each state.
select state, count(*) as jobs from windlass_jobs group by state
