-- Which kinds of job finished lately, how many of each, and how long the newest of them waited and ran.
select c.jobs, c.waited_us, c.ran_us,
       (select json_group_array(json_array(
                   max(top.started_at - max(top.run_at, top.created_at), 0),
                   top.finished_at - top.started_at))
          from (select h.created_at, h.run_at, h.started_at, h.finished_at
                  from windlass_history h
                 where h.queue = c.queue and h.type = c.type and h.state = c.state
                 order by h.id desc
                 limit 40) top
         where top.started_at is not null and top.finished_at > :since_us) as sample
  from (select queue, type, state, sum(jobs) as jobs, sum(waited_us) as waited_us, sum(ran_us) as ran_us
          from windlass_rollups
         where grain = 0 and jobs > 0 and state in ('completed', 'failed') and at > :since_us
         group by queue, type, state
         order by jobs desc
         limit :most) c
