"""What Redis does in one step: a file in `lua/`, by its name."""

from __future__ import annotations

import hashlib
from functools import cached_property
from importlib import resources
from typing import Self

from msgspec import Struct


class Script(Struct, frozen=True, dict=True):
    """A program for Redis; sent once, and then called by its digest."""

    text: str

    @classmethod
    def load(cls, name: str) -> Self:
        """The script of this name."""
        return cls((resources.files("windlass.redis") / "lua" / f"{name}.lua").read_text("utf-8"))

    @cached_property
    def digest(self) -> str:
        """What Redis calls it."""
        return hashlib.sha1(self.text.encode(), usedforsecurity=False).hexdigest()
