"""A file that a handler kept, as an answer that no browser takes for a page or program of ours."""

from __future__ import annotations

import re

from windlass.http.answer import Answer, Header
from windlass.store.records import Kept

# As RFC 9110 has it; what is written otherwise could be taken for more headers.
MEDIA = re.compile(r"[\w.+-]+/[\w.+-]+(?:; ?[\w-]+=[\w.-]+)*", re.ASCII)
OPAQUE = "application/octet-stream"
# Opened by itself it is saved or shown in a box without rights; an image in a page shows all the
# same. A script would run wherever a page of ours could be made to name it, so none is told as one.
SAVED: Header = (b"content-disposition", b"attachment")
BOXED: Header = (b"content-security-policy", b"default-src 'none'; sandbox")


def answer(file: Kept) -> Answer:
    """The file, and what it is."""
    return Answer(200, file.content, (SAVED, BOXED), media_of(file.media_type).encode())


def media_of(said: str) -> str:
    """The media type as it may be told."""
    return said if MEDIA.fullmatch(said) and "script" not in said.lower() else OPAQUE
