-- Where history ends before a batch is put into it.
select coalesce(max(rowid), 0) as mark from windlass_history
