-- The newest finished jobs of a type: the newest of each state, merged.
-- Compared and ordered as one, these columns leave the planner no other index.
select x.id::text as id
  from unnest(:states::text[]) as s(state),
       lateral (select id
                  from (select h.id
                          from windlass_history h
                         where (h.type, h.state, h.id) < (:type::text, s.state, :before::uuid)
                           and (h.type, h.state, h.id) >= (:type::text, s.state, :after::uuid)
                         order by h.type desc, h.state desc, h.id desc
                         limit 10000) top
                 limit :limit) x
 order by x.id desc
 limit :limit
