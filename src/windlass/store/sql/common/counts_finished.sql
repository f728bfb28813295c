-- How many finished jobs there are in each state; exact, since rollups commit with the change.
select state, sum(jobs) as jobs from windlass_rollups group by state
