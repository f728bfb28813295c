-- How things went since some moment, in stretches of one length.
select at_us, document from windlass_trends where grain = :grain and at_us >= :since_us
