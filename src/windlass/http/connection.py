"""One connection of a client, and how long we wait on it for what it owes us."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from urllib.parse import unquote

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from windlass.http import problems
from windlass.http.exchange import Exchange
from windlass.http.problems import Refusal

MOST_HEADER_BYTES = 1 << 14
# In looks of the server, which takes one in a second.
HEADERS_PATIENCE = 10
# Whoever still sends a body though it has its answer gets the time to read that answer.
REST_PATIENCE = 3

NO_SWITCH = Refusal(501, "no-upgrade", "send it without Upgrade, or with a Content-Length")
NO_HTTP = Refusal(400, "bad-request", "this is not HTTP as it is spoken here")
LONG_HEADERS = Refusal(431, "long-headers", f"the headers are over {MOST_HEADER_BYTES:,} bytes")


class Connection(HttpToolsProtocol):
    """uvicorn's, which by itself would wait for headers without end, however many and slow.

    We speak no other protocol, so whoever offers to switch to one (Java's client does, always) is
    answered as if it had not. The parser would take the body of its request for the next request.
    """

    _patience: int | None = HEADERS_PATIENCE
    _in_headers = False
    _refused = False
    _header_bytes = 0
    _piece = 0
    _owed = 0  # bytes of a body that the parser shall not see

    @property
    def idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def look(self) -> None:
        """Hang up on who keeps us waiting."""
        if self._patience is None:
            return
        self._patience -= 1
        if self._patience < 0:
            self.transport.close()

    def abort(self) -> None:
        """Hang up without sending what is left."""
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Take what came; too many headers are refused before they are all here."""
        self._piece = len(data)
        while data and not self._refused:
            data = self._pay(data) if self._owed else self._parse(data)

    def _parse(self, data: bytes) -> bytes:
        """Let the parser have it; what is not for it is left."""
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserError:
            self._refuse(NO_HTTP)
        except httptools.HttpParserUpgrade as offered:
            return data[offered.args[0] :]
        if self._in_headers:
            self._header_bytes += len(data)
            if self._header_bytes > MOST_HEADER_BYTES:
                self._refuse(LONG_HEADERS)
        return b""

    def _pay(self, data: bytes) -> bytes:
        body, rest = data[: self._owed], data[self._owed :]
        self._owed -= len(body)
        self.on_body(body)
        if not self._owed:
            super().on_message_complete()
        return rest

    def on_message_begin(self) -> None:
        """Wait for headers, for a while."""
        self._in_headers = True
        self._header_bytes = 0
        self._patience = HEADERS_PATIENCE
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Answer the request; its body has a deadline of its own."""
        # Only what came in one large piece was not counted on its way.
        if self._piece > MOST_HEADER_BYTES and self._headers_size() > MOST_HEADER_BYTES:
            self._refuse(LONG_HEADERS)
            raise OverflowError  # stops the parser
        if self.parser.should_upgrade():
            self._owed = self._offered_body()
        self._in_headers = False
        self._patience = None
        self._describe()
        previous, self.cycle = self.cycle, self._exchange()
        if previous is None or previous.response_complete:
            self._start_asgi_task(self.cycle, self.app)
        else:
            self.flow.pause_reading()
            self.pipeline.appendleft((self.cycle, self.app))

    def on_message_complete(self) -> None:
        """The request is whole, unless the parser was not shown its body."""
        if not self._owed:
            super().on_message_complete()

    def on_response_complete(self) -> None:
        """Go on with what else was asked, or wait; but not for a body that nobody reads."""
        if self.transport.is_closing():
            return
        self.flow.resume_reading()
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())
        else:
            self._patience = REST_PATIENCE if self.cycle.more_body else self.timeout_keep_alive

    def _describe(self) -> None:
        """Tell the application what is asked."""
        version, url = self.parser.get_http_version(), httptools.parse_url(self.url)
        path = url.path.decode("ascii")
        scope = self.scope
        scope["http_version"] = version
        scope["method"] = self.parser.get_method().decode("ascii")
        scope["path"] = unquote(path) if "%" in path else path
        scope["raw_path"] = url.path
        scope["query_string"] = url.query or b""

    def _exchange(self) -> Exchange:
        return Exchange(
            scope=self.scope,
            transport=self.transport,
            flow=self.flow,
            logger=self.logger,
            access_logger=self.access_logger,
            access_log=False,
            default_headers=self.server_state.default_headers,
            message_event=asyncio.Event(),
            expect_100_continue=self.expect_100_continue,
            keep_alive=self.scope["http_version"] != "1.0" and self.parser.should_keep_alive(),
            on_response=self.on_response_complete,
        )

    def _offered_body(self) -> int:
        """How long the body is of a request that offers to switch."""
        found = dict(self.headers)
        if b"transfer-encoding" in found:
            self._refuse(NO_SWITCH)
            raise ValueError  # stops the parser
        return int(found.get(b"content-length", b"0"))

    def _headers_size(self) -> int:
        return len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)

    def _refuse(self, refusal: Refusal) -> None:
        """Answer by hand, since there is no request to answer yet, and say no more."""
        if self._refused or self.transport.is_closing():
            return
        self._refused = True
        answer = problems.answer(refusal)
        lines = (
            b"HTTP/1.1 %d %s" % (answer.status, HTTPStatus(answer.status).phrase.encode()),
            b"content-type: " + answer.media,
            b"content-length: %d" % len(answer.body),
            b"connection: close",
            b"",
            answer.body,
        )
        self.transport.write(b"\r\n".join(lines))
        if self.idle:
            # To hang up on who still sends would take the answer away from it.
            self.transport.write_eof()
            self._patience = REST_PATIENCE
        else:
            self.transport.close()
