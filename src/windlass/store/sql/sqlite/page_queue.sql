-- The newest finished jobs of a queue: the newest of each type and state, merged.
with recursive types (type) as (
    select min(type) from windlass_history where queue = :queue
     union all
    select (select min(h.type) from windlass_history h where h.queue = :queue and h.type > types.type)
      from types
     where type is not null
)
select top.value as id
  from (select (select json_group_array(id)
                  from (select h.id
                          from windlass_history h
                         where h.queue = :queue and h.type = types.type and h.state = s.value
                           and h.id < :before and h.id >= :after
                         order by h.id desc
                         limit :limit)) as ids
          from types, json_each(:states) s
         where types.type is not null) cells,
       json_each(cells.ids) top
 order by top.value desc
 limit :limit
