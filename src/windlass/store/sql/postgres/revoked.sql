-- What was revoked lately, or ever; with the time, to ask on from there.
select windlass_us(:now) as now_us,
       coalesce((select array_agg(id)
                   from windlass_revoked
                  where revoked_at > timestamptz 'epoch' + :since_us::bigint * interval '1 microsecond'),
                '{}') as ids
