-- Whether some node has let its lease run out.
select exists (select from windlass_nodes where lease_until <= :now) as lapsed
