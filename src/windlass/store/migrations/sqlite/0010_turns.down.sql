-- Let whoever is found first be handed the next job.
alter table windlass_standby drop column since;
