-- Back to stores without a name.
alter table windlass_settings drop column identity;
