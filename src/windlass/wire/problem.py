"""What the service answers when it refuses: a problem as in RFC 9457."""

from __future__ import annotations

from typing import Any

import msgspec

KIND = "urn:windlass:problem:"


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """What went wrong, and what to do about it."""

    type: str
    title: str
    status: int
    detail: str
    request_id: str | None = None
    errors: list[dict[str, Any]] | None = None  # one for each job of a batch that was refused
