"""The fault matrix: what befalls a fleet of real processes, and what it must bear."""

from tests.faults.first import FIRST
from tests.faults.second import SECOND

LINES = (*FIRST, *SECOND)
