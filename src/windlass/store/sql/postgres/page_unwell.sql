-- The newest jobs that failed or were cancelled.
-- Compared and ordered as one, these columns leave the planner no other index.
select x.id::text as id
  from unnest(:states::text[]) as s(state),
       lateral (select id
                  from (select h.id
                          from windlass_history h
                         where (h.state, h.id) < (s.state, :before::uuid)
                           and (h.state, h.id) >= (s.state, :after::uuid)
                           and h.state <> 'completed'
                         order by h.state desc, h.id desc
                         limit 10000) top
                 limit :limit) x
 order by x.id desc
 limit :limit
