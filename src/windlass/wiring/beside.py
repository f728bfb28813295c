"""The workers beside an API, started and kept by it: `windlass.wiring.beside APP`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from windlass.config import load
from windlass.core.errors import WindlassError
from windlass.wiring.keeping import end_with_parent
from windlass.wiring.mustering import run_worker


def main() -> None:
    """Run jobs until a signal, or until whoever started us is gone."""
    end_with_parent()
    try:
        sys.exit(run_worker(sys.argv[1], load(os.environ, Path.cwd()), kept=True))
    except WindlassError as error:
        sys.exit(f"windlass: {error}")
