-- Put what only the totals knew back into the rollups, and take the totals away.

delete from windlass_rollups where state = 'retried' or state = 'revived';
insert into windlass_rollups (at, grain, queue, type, state, jobs, waited_us, ran_us)
select 0, 3600, t.queue, t.type, t.state,
       t.jobs - coalesce((select sum(r.jobs)
                            from windlass_rollups r
                           where r.grain > 0 and r.queue = t.queue and r.type = t.type
                             and r.state = t.state), 0),
       0, 0
  from windlass_totals t
 where t.state <> 'retried' and t.state <> 'revived';
drop table windlass_totals;
drop table windlass_census;
