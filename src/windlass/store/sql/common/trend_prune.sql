-- Forget how things went long ago.
delete from windlass_trends where grain = :grain and at_us < :before_us
