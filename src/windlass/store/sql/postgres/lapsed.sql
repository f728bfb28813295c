-- Whether some node has let its lease run out, and by which time.
select exists (select from windlass_nodes where lease_until <= :now) as lapsed,
       windlass_us(:now) as now_us
