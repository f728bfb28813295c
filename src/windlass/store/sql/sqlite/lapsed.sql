-- Whether some node has let its lease run out, and by which time.
select exists (select 1 from windlass_nodes where lease_until <= :now) as lapsed, :now as now_us
