"""An HTTP client that reaches what jobs may reach, and nothing else.

The guard stands where sockets are made: whatever a name was resolved to, however an address was
written, it sees where the connection would go. Redirects are not followed, proxies not asked.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from functools import partial
from typing import TypeAlias

from aiohttp import (
    AddrInfoType,
    ClientConnectorError,
    ClientError,
    ClientResponse,
    ClientResponseError,
    ClientSession,
    ClientTimeout,
    DummyCookieJar,
    StreamReader,
    TCPConnector,
)
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from windlass.executors.exchange import Message, Reply, Terms, Unreachable
from windlass.executors.hosts import Hosts
from windlass.executors.names import SystemNames
from windlass.executors.reach import Forbidden, Reach

CONNECT_WITHIN = 5.0
# Shorter than servers keep theirs, so that a request seldom meets one that was just closed.
KEEP_ALIVE = 4.0

Check: TypeAlias = Callable[[str, int], None]  # raises Forbidden


class Client:
    """Open connections, and what is known of the hosts, on one event loop."""

    def __init__(
        self, reach: Reach, hosts: Hosts, resolver: AbstractResolver | None = None
    ) -> None:
        """Connect when the first request comes."""
        self.hosts = hosts
        self._reach = reach
        self._resolver = resolver or SystemNames()
        # Apart, so that a host that is named lends its rights to no other.
        self._public = self._session(listed=False)
        self._listed = self._session(listed=True)

    async def send(self, message: Message, terms: Terms) -> Reply:
        """Send the request, and read of the answer what the terms allow.

        Raises `Forbidden` if it may not be sent there, `Unreachable` if there is no answer.
        """
        try:
            async with asyncio.timeout(terms.within):
                response = await self._request(message)
        except TimeoutError:
            raise Unreachable(f"no answer within {terms.within:g} s") from None
        except ClientConnectorError as problem:
            if isinstance(problem.os_error, Forbidden):
                raise problem.os_error from None
            raise Unreachable(f"no connection: {problem.os_error}") from None
        except ValueError as problem:  # an address in a form that only some would read the same
            raise Forbidden(f"its URL cannot be called: {problem}") from None
        except ClientResponseError as problem:  # its own words would tell the whole URL
            raise Unreachable(f"no answer that is HTTP: {problem.message}") from None
        except (ClientError, OSError) as problem:
            raise Unreachable(f"no answer: {problem or type(problem).__name__}") from None
        try:
            return await _read(response, terms)
        finally:
            response.release()

    async def close(self) -> None:
        """Close every connection, also after one that fails at it or is cancelled."""
        async with AsyncExitStack() as closing:
            closing.push_async_callback(self._resolver.close)
            closing.push_async_callback(self._listed.close)
            await self._public.close()

    async def _request(self, message: Message) -> ClientResponse:
        url = URL(message.url)
        session = self._listed if self._reach.lists(url.raw_host or "") else self._public
        return await session.request(
            message.method,
            url,
            data=message.body or None,
            headers=message.headers,
            allow_redirects=False,
        )

    def _session(self, *, listed: bool) -> ClientSession:
        check = partial(self._reach.check, listed=listed)
        connector = TCPConnector(
            limit=0,  # hosts have their limits, and workers theirs
            keepalive_timeout=KEEP_ALIVE,
            resolver=GuardedResolver(self._resolver, check),
            socket_factory=partial(_socket, check),
        )
        return ClientSession(
            connector=connector,
            cookie_jar=DummyCookieJar(),
            timeout=ClientTimeout(total=None, sock_connect=CONNECT_WITHIN),
            auto_decompress=False,  # what is small on the wire may be large outside of it
            trust_env=False,
            skip_auto_headers=("User-Agent", "Accept-Encoding", "Content-Type"),
        )


class GuardedResolver(AbstractResolver):
    """Refuses a name as soon as one of its addresses may not be reached."""

    def __init__(self, inner: AbstractResolver, check: Check) -> None:
        """Ask `inner`."""
        self._inner = inner
        self._check = check

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """The addresses of a host, all of which may be reached."""
        found = await self._inner.resolve(host, port, family)
        for result in found:
            self._check(result["host"], port)
        return found

    async def close(self) -> None:
        """Leave `inner` to whoever brought it."""


def _socket(check: Check, info: AddrInfoType) -> socket.socket:
    """Make a socket for an address that may be reached: no connection gets by this."""
    family, kind, protocol, _, address = info
    check(address[0], address[1])
    return socket.socket(family, kind, protocol)


async def _read(response: ClientResponse, terms: Terms) -> Reply:
    content = response.content
    # Most bodies came with the head, and a timer costs more than to read them.
    here = content.is_eof() and content.exception() is None
    body = content.read_nowait() if here else await _awaited(content, terms)
    return Reply(
        status=response.status,
        reason=response.reason or "",
        headers=response.headers,
        body=body[: terms.most],
        whole=content.at_eof() and len(body) <= terms.most,
    )


async def _awaited(content: StreamReader, terms: Terms) -> bytes:
    body = bytearray()
    # What the status says, counts; a body that drips or breaks off is cut.
    with suppress(TimeoutError, ClientError, OSError):
        async with asyncio.timeout(terms.reading):
            while len(body) <= terms.most and (part := await content.readany()):
                body += part
    return bytes(body)
