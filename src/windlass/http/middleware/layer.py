"""What every layer is made of: an application around another, and a way to refuse.

A layer that only looks is a plain function that returns what it awaits of the next one: it costs
a call, and no coroutine. What one layer knows, others find in the scope.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from windlass.http import answer as answers
from windlass.http import problems
from windlass.http.answer import Send
from windlass.http.problems import Refusal
from windlass.http.request import Receive, Scope

Asgi: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

# Asked by whoever decides whether we live and may be sent requests: never refused for their rate,
# nor because we stop.
HEALTH = frozenset({"/health", "/livez", "/readyz"})


def headers(scope: Scope) -> dict[bytes, bytes]:
    """The headers by lower-case name; of one that came twice the last. Made once per request."""
    found: dict[bytes, bytes] | None = scope.get("headers_by_name")
    if found is None:
        found = scope["headers_by_name"] = dict(scope["headers"])
    return found


async def refuse(refusal: Refusal, scope: Scope, send: Send) -> None:
    """Answer with a problem instead of asking the next layer."""
    answer = problems.answer(refusal, scope.get("request_id"))
    await answers.send(answer, send, bodiless=scope["method"] == "HEAD")
