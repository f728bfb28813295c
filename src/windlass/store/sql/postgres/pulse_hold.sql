-- What had been counted when the trends were last written, held until they are written again.
select document from windlass_pulse for update
