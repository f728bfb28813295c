-- Keep what had been counted when the trends were written.
update windlass_pulse set document = :document
