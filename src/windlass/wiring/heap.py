"""How a process that serves takes out its garbage."""

from __future__ import annotations

import gc

# A request makes a few hundred objects and hardly a cycle: with Python's own thresholds looking for
# those took a sixth of its time, and now and then long enough for others to notice.
THRESHOLDS = (20_000, 20, 50)


def settle() -> None:
    """Look no more at what is loaded by now, and less often at the rest."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
