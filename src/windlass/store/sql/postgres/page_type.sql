-- The newest finished jobs of a type: the newest of each state, merged.
select x.id::text as id
  from unnest(:states::text[]) as s(state),
       lateral (select id
                  from (select h.id
                          from windlass_history h
                         where h.type = :type::text and h.state = s.state
                           and h.id < :before::uuid and h.id >= :after::uuid
                         order by h.id desc
                         limit 10000) top
                 limit :limit) x
 order by x.id desc
 limit :limit
