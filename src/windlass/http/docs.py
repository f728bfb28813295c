"""The browsable page of the API, and the few files that it is made of."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import NamedTuple

from windlass.http.access import Access
from windlass.http.answer import Answer, Header
from windlass.http.problems import Refusal
from windlass.http.request import Request
from windlass.http.routing import Says, get

PAGE = "text/html; charset=utf-8"
MEDIA: Mapping[str, str] = {
    "html": PAGE,
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
# It runs what we serve and nothing else, even if somebody found a way to write into it.
POLICY: Header = (
    b"content-security-policy",
    (
        b"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
        b" img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
        b" require-trusted-types-for 'script'; trusted-types 'none'"
    ),
)
# Kept by browsers, but asked about each time: the files of two versions are never mixed.
KEPT: Header = (b"cache-control", b"no-cache")


class File(NamedTuple):
    """A file of the page, and the tag by which a browser knows whether it has it already."""

    body: bytes
    media: bytes
    tag: bytes


@get("/docs", access=Access.PUBLIC, answers={200: Says(str, "The page.", PAGE)})
async def docs(request: Request) -> Answer:
    """Show the API as a page, on which each route can be tried."""
    return _fresh(_files()["docs.html"], request)


@get("/docs/{file}", access=Access.PUBLIC, answers={200: Says(bytes, "The file.", "*/*")})
async def docs_file(request: Request, file: str) -> Answer:
    """Read a file that the page is made of."""
    found = _files().get(file)
    if found is None:
        raise Refusal(404, "not-found", "the page has no such file; it is at /docs")
    return _fresh(found, request)


def _fresh(file: File, request: Request) -> Answer:
    """The file; or that it has not changed, if whoever asks has it already."""
    headers = (POLICY, KEPT, (b"etag", file.tag))
    known = request.headers.get(b"if-none-match", b"")
    if file.tag in known:
        return Answer(304, headers=headers)
    return Answer(200, file.body, headers, file.media)


@cache
def _files() -> Mapping[str, File]:
    pages = files("windlass.http") / "pages"
    return {each.name: _read(each.name, each.read_bytes()) for each in pages.iterdir()}


def _read(name: str, body: bytes) -> File:
    media = MEDIA[name.rpartition(".")[2]]
    return File(body, media.encode(), b'"%b"' % sha256(body).hexdigest()[:32].encode())


ROUTES = [docs, docs_file]
