"""Which web pages may ask: our own, and those that were configured (CORS).

A browser says where a page is from. Programs say nothing of the kind, and are not asked.
"""

from __future__ import annotations

from collections.abc import Awaitable, Collection

from windlass.http import answer as answers
from windlass.http.answer import Answer, Header, Send
from windlass.http.middleware.layer import Asgi, headers, refuse
from windlass.http.middleware.reply import Reply
from windlass.http.problems import Refusal
from windlass.http.request import Receive, Scope

SAFE = frozenset({"GET", "HEAD"})
OWN_SITES = frozenset({b"same-origin", b"none"})  # none: typed by a person, or a bookmark
FOREIGN_PAGE = Refusal(
    403,
    "foreign-origin",
    "this web page may not use the API; if it should, add its origin to WINDLASS_ORIGINS",
)
VARY: Header = (b"vary", b"origin")
EXPOSED: Header = (
    b"access-control-expose-headers",
    b"location, link, retry-after, x-request-id, www-authenticate",
)
PREFLIGHT: tuple[Header, ...] = (
    (b"access-control-allow-methods", b"GET, HEAD, POST, PUT, PATCH, DELETE"),
    (
        b"access-control-allow-headers",
        b"authorization, content-type, idempotency-key, last-event-id, x-request-id",
    ),
    (b"access-control-max-age", b"600"),
)


def origins(app: Asgi, configured: Collection[str]) -> Asgi:
    """Refuse pages of others; let those of configured origins read the answers.

    They send a token of their own: cookies of ours never leave our own pages.
    """
    welcome = frozenset(origin.lower().encode() for origin in configured)

    def serve(scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        found = headers(scope)
        origin = found.get(b"origin")
        if origin is None:
            site = found.get(b"sec-fetch-site")
            if site is None or site in OWN_SITES or _opens_a_page(scope, found):
                return app(scope, receive, send)
            return refuse(FOREIGN_PAGE, scope, send)
        if origin.partition(b"://")[2] == found.get(b"host"):
            return app(scope, receive, send)
        if origin.lower() not in welcome:
            return refuse(FOREIGN_PAGE, scope, send)
        return _shared(app, origin)(scope, receive, send)

    return serve


def _shared(app: Asgi, origin: bytes) -> Asgi:
    def serve(scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        reply: Reply = scope["reply"]
        reply.extra += ((b"access-control-allow-origin", origin), VARY, EXPOSED)
        if scope["method"] == "OPTIONS" and b"access-control-request-method" in headers(scope):
            return answers.send(Answer(204, headers=PREFLIGHT), send)
        return app(scope, receive, send)

    return serve


def _opens_a_page(scope: Scope, found: dict[bytes, bytes]) -> bool:
    """Whether a person follows a link from elsewhere: nobody else sees the answer."""
    return scope["method"] in SAFE and found.get(b"sec-fetch-mode") == b"navigate"
