"""Which variables of the environment the program reads."""

import inspect
import re

from windlass.config import FOREIGN, SETTINGS
from windlass.core import url_parts

PARTS = {
    f"{what}_{part}"
    for what in ("POSTGRES", "REDIS")
    for part in ("HOST", "PORT", "USER", "PASSWORD", "DB", "SSL_MODE")
    # Those that are spoken of, if only in part.
    if part in ("HOST", "PORT") or f"{what}_{part}" in inspect.getsource(url_parts)
}
READ = {f"WINDLASS_{name.upper()}" for name in SETTINGS} | {name for _, name in FOREIGN} | PARTS


def named(text: str) -> set[str]:
    """The variables of ours that a text names."""
    return set(re.findall(r"\bWINDLASS_[A-Z][A-Z_]*\b", text))
