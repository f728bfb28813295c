-- Forget the last count: counting is cheap again.
delete from windlass_counts
