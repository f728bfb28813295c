-- Keep how things went in some stretches of time.
insert into windlass_trends (grain, at_us, document)
select * from unnest(:grain::integer[], :at_us::bigint[], :document::text[])
    on conflict (grain, at_us) do update set document = excluded.document
