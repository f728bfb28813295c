-- Back to lists without an index for each filter, and to types that only workers know.
drop table windlass_types;
drop table windlass_counts;
drop index windlass_history_type;
drop index windlass_history_queue;
create index windlass_history_type on windlass_history (type, id);
create index windlass_history_queue on windlass_history (queue, id);
