-- Take the turn to count live jobs again; whoever comes before it is over gets none.
update windlass_counts
   set turn_at = :now + :rests * took_us
 where turn_at <= :now
returning one
