-- Keep how things went in some stretches of time.
with told (grain, at_us, document) as (
    values (:grain, :at_us, :document)
)
insert into windlass_trends (grain, at_us, document)
select grain, at_us, document
  from told
 where grain is not null
    on conflict (grain, at_us) do update set document = excluded.document
