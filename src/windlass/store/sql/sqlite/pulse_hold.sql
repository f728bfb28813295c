-- What had been counted when the trends were last written; whoever writes is alone.
select document from windlass_pulse
