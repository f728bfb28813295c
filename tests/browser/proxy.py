"""A proxy that puts a prefix before every path of a server, as people do with dashboards."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

HOP = {"transfer-encoding", "connection", "date"}


@contextmanager
def behind(prefix: str, url: str) -> Iterator[str]:
    """The address of the server behind the prefix. Streams do not pass, as with many a proxy."""

    class Passing(BaseHTTPRequestHandler):
        timeout = 5  # browsers connect ahead of time, and may never ask

        def do_GET(self) -> None:
            path = self.path.removeprefix(prefix)
            if path == self.path or path.startswith("/events"):
                return self.send_error(502)
            with closing(HTTPConnection(url.removeprefix("http://"), timeout=20)) as server:
                server.request("GET", path, headers=dict(self.headers))
                answer = server.getresponse()
                self.send_response_only(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in HOP:
                        self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer.read())
            return None

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Passing) as proxy:
        proxy.daemon_threads = False  # whoever is being answered is waited for
        Thread(target=proxy.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{proxy.server_port}{prefix}"
        finally:
            proxy.shutdown()
