"""What tells a browser to make nothing of an answer but what it is."""

from __future__ import annotations

from collections.abc import Sequence

from windlass.http.answer import Header

NOSNIFF: Header = (b"x-content-type-options", b"nosniff")
NO_REFERRER: Header = (b"referrer-policy", b"no-referrer")
NO_STORE: Header = (b"cache-control", b"no-store")
# Pages load what we serve ourselves and nothing else, and nobody puts them into a frame.
POLICY: Header = (
    b"content-security-policy",
    (
        b"default-src 'self'; script-src 'self'; object-src 'none'; base-uri 'none';"
        b" form-action 'self'; frame-ancestors 'none'"
    ),
)
NO_FRAMES: Header = (b"x-frame-options", b"DENY")

FOR_DATA = (NOSNIFF, NO_REFERRER, NO_STORE)
FOR_PAGES = (*FOR_DATA, POLICY, NO_FRAMES)
OURS = frozenset(name for name, _ in FOR_PAGES)


def protective(headers: Sequence[Header]) -> Sequence[Header]:
    """The headers that an answer with these lacks; what a route says itself counts."""
    wanted: Sequence[Header] = FOR_DATA
    said: list[bytes] = []
    for name, value in headers:
        if name == b"content-type" and value.startswith(b"text/html"):
            wanted = FOR_PAGES
        elif name in OURS:
            said.append(name)
    return [header for header in wanted if header[0] not in said] if said else wanted
