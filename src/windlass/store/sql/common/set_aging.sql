-- Change how much waiting is worth one point of priority.
update windlass_settings set aging_us = :aging_us
