-- Which kinds of job finished lately, how many of each, and how long the newest of them waited and ran.
-- Compared and ordered as one, these columns leave the planner no other index.
with since as materialized (
    select timestamptz 'epoch' + :since_us::bigint * interval '1 microsecond' as at
),
cells as materialized (
    select queue, type, state, sum(jobs)::bigint as jobs, sum(waited_us)::bigint as waited_us,
           sum(ran_us)::bigint as ran_us
      from windlass_rollups
     where grain = 0 and jobs > 0 and state in ('completed', 'failed') and at > (select at from since)
     group by queue, type, state
     order by jobs desc
     limit :most
)
select c.jobs, c.waited_us, c.ran_us,
       (select json_agg(json_build_array(
                   greatest(windlass_us(top.started_at)
                            - windlass_us(greatest(top.run_at, top.created_at)), 0),
                   windlass_us(top.finished_at) - windlass_us(top.started_at)))::text
          from (select h.created_at, h.run_at, h.started_at, h.finished_at
                  from windlass_history h
                 where (h.queue, h.type, h.state, h.id)
                       <= (c.queue, c.type, c.state, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
                   and (h.queue, h.type, h.state, h.id)
                       >= (c.queue, c.type, c.state, '00000000-0000-0000-0000-000000000000'::uuid)
                 order by h.queue desc, h.type desc, h.state desc, h.id desc
                 limit 40) top
         where top.started_at is not null and top.finished_at > (select at from since)) as sample
  from cells c
