"""One connection of a client, and how long we wait on it for what it owes us."""

from __future__ import annotations

from http import HTTPStatus

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from windlass.http import problems
from windlass.http.problems import Refusal

MOST_HEADER_BYTES = 1 << 14
# In looks of the server, which takes one in a second.
HEADERS_PATIENCE = 10
# Whoever still sends a body though it has its answer gets the time to read that answer.
REST_PATIENCE = 3

NO_HTTP = Refusal(400, "bad-request", "this is not HTTP as it is spoken here")
LONG_HEADERS = Refusal(431, "long-headers", f"the headers are over {MOST_HEADER_BYTES:,} bytes")


class Connection(HttpToolsProtocol):
    """uvicorn's, which by itself would wait for headers without end, however many and slow."""

    _patience: int | None = HEADERS_PATIENCE
    _in_headers = False
    _refused = False
    _header_bytes = 0
    _piece = 0

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
        if self._refused:
            return
        self._piece = len(data)
        super().data_received(data)
        if self._in_headers:
            self._header_bytes += len(data)
            if self._header_bytes > MOST_HEADER_BYTES:
                self._refuse(LONG_HEADERS)

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
        self._in_headers = False
        self._patience = None
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        """Do not wait for the rest of a body that nobody reads."""
        if self.cycle.more_body and not self.pipeline:
            self._patience = REST_PATIENCE
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 — called by uvicorn
        """Refuse what cannot be read."""
        self._refuse(NO_HTTP)

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
