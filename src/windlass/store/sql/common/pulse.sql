-- What had been counted when the trends were last written, and the time.
select document, :now as now from windlass_pulse
