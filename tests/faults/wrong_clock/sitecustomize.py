"""Sets the clock of this process wrong, when Python starts: by WRONG_CLOCK, in seconds and pace.

`WRONG_CLOCK=3600,1` is an hour fast, `WRONG_CLOCK=0,2` gains a second in every second. The
monotonic clock is left alone, as it is when somebody sets the time of a machine.
"""

import os
import time

OFFSET, PACE = (float(part) for part in os.environ.get("WRONG_CLOCK", "0,1").split(","))
TRUE = time.time_ns
BEGAN = TRUE()


def time_ns() -> int:
    """The wrong time."""
    return round(BEGAN + OFFSET * 1e9 + (TRUE() - BEGAN) * PACE)


time.time_ns = time_ns
time.time = lambda: time_ns() / 1e9
