-- Put what only the totals knew back into the rollups, and take the totals away.

delete from windlass_rollups where state in ('retried', 'revived');
insert into windlass_rollups (at, grain, queue, type, state, jobs, waited_us, ran_us)
select 'epoch', 3600, t.queue, t.type, t.state, t.jobs - coalesce(r.jobs, 0), 0, 0
  from windlass_totals t
  left join (select queue, type, state, sum(jobs) as jobs
               from windlass_rollups
              where grain > 0
              group by queue, type, state) r using (queue, type, state)
 where t.state not in ('retried', 'revived');
drop table windlass_totals;
drop table windlass_census;
