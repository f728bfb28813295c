-- What was revoked lately, or ever; with the time, to ask on from there.
select :now as now_us,
       (select json_group_array(id) from windlass_revoked where revoked_at > :since_us) as ids
