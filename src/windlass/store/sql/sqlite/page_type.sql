-- The newest finished jobs of a type: the newest of each state, merged.
select top.value as id
  from (select (select json_group_array(id)
                  from (select h.id
                          from windlass_history h
                         where h.type = :type and h.state = s.value
                           and h.id < :before and h.id >= :after
                         order by h.id desc
                         limit :limit)) as ids
          from json_each(:states) s) cells,
       json_each(cells.ids) top
 order by top.value desc
 limit :limit
