"""The dashboard: the files that were built of it, under /ui/.

It works under any path: the page is told how many steps up /ui/ is, and everything else follows.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from windlass.http.access import Access
from windlass.http.answer import Answer, Header, json, text
from windlass.http.problems import Refusal
from windlass.http.request import Request
from windlass.http.routing import Says, get
from windlass.http.service import Service

PLACE = "/ui/"
BUILT = Path(str(files("windlass.http") / "dashboard"))
PAGE = "index.html"
ASSETS = "assets/"
MEDIA: Mapping[str, bytes] = {
    ".css": b"text/css; charset=utf-8",
    ".html": b"text/html; charset=utf-8",
    ".js": b"text/javascript; charset=utf-8",
    ".svg": b"image/svg+xml",
}
# Packed copies that lie beside a file, the smallest first.
PACKED = ((b"br", ".br"), (b"gzip", ".gz"))
# It runs what we serve and nothing else, even if somebody found a way to write into it.
POLICY: Header = (
    b"content-security-policy",
    (
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:;"
        b" connect-src 'self'; font-src 'self'; frame-ancestors 'none'; base-uri 'self';"
        b" form-action 'self'"
    ),
)
NO_FRAMES: Header = (b"x-frame-options", b"DENY")
# The name of an asset tells its contents: it never changes.
FOREVER: Header = (b"cache-control", b"public, max-age=31536000, immutable")
# Whatever else there is may be kept, but is asked about each time.
ASKED: Header = (b"cache-control", b"no-cache")
VARY: Header = (b"vary", b"accept-encoding")
BASE = b'<base href="./"'
LINKS = {
    "dashboard": "ui/",
    "documentation": "docs",
    "openapi": "openapi.json",
    "jobs": "jobs",
    "stats": "stats",
    "health": "health",
}
NOT_BUILT = """\
The dashboard is not built. In a checkout, this builds it:

    script/bootstrap

Wheels and sdists of windlass have it built already. The API works without it: see /docs.
"""


class File(NamedTuple):
    """A built file: its bytes by the way they are packed, and its tag."""

    bodies: Mapping[bytes, bytes]
    media: bytes
    tag: bytes


@get(
    "/",
    access=Access.PUBLIC,
    answers={
        200: Says(dict[str, str], "Where everything is, for programs."),
        307: Says(None, "See the dashboard, for browsers."),
    },
)
async def root(service: Service, request: Request) -> Answer:
    """Lead a browser to the dashboard, and tell a program where everything is."""
    if b"text/html" in request.headers.get(b"accept", b""):
        return _elsewhere(b"ui/")
    return json(LINKS if service.mail is None else {**LINKS, "mail": "mail"})


@get("/ui", access=Access.PUBLIC, answers={307: Says(None, "See /ui/.")})
async def dashboard() -> Answer:
    """Lead to the dashboard."""
    return _elsewhere(b"ui/")


def is_here(path: str) -> bool:
    """Whether a path leads to a file or a page of the dashboard."""
    return path.startswith(PLACE)


def answer(request: Request) -> Answer:
    """The file; or the page itself, whose script knows all other paths."""
    if request.method not in {"GET", "HEAD"}:
        raise Refusal(405, "method-not-allowed", "here are only files; GET them")
    built = _built(_edition())
    if PAGE not in built:
        return text(NOT_BUILT, 404)
    path = request.path.removeprefix(PLACE)
    found = built.get(path)
    if found is not None and path != PAGE:
        return _file(found, request, FOREVER if path.startswith(ASSETS) else ASKED)
    if path.startswith(ASSETS):
        raise Refusal(404, "not-found", "the dashboard has no such file; load the page anew")
    return _page(built[PAGE], request, path.count("/"))


def _page(page: File, request: Request, depth: int) -> Answer:
    """The page, told how many steps up the dashboard begins."""
    up = b"../" * depth or b"./"
    body = page.bodies[b"identity"].replace(BASE, b'<base href="%b"' % up)
    return _file(File({b"identity": body}, page.media, _tag(body)), request, ASKED)


def _file(file: File, request: Request, kept: Header) -> Answer:
    """The file as whoever asks can take it; or that it has not changed."""
    headers = (POLICY, NO_FRAMES, kept, VARY, (b"etag", file.tag))
    if file.tag in request.headers.get(b"if-none-match", b""):
        return Answer(304, headers=headers)
    takes = request.headers.get(b"accept-encoding", b"")
    packing = next((one for one, _ in PACKED if one in takes and one in file.bodies), None)
    if packing is None:
        return Answer(200, file.bodies[b"identity"], headers, file.media)
    packed: Header = (b"content-encoding", packing)
    return Answer(200, file.bodies[packing], (*headers, packed), file.media)


def _edition() -> int:
    """When it was built: whoever works on it builds it again while we serve."""
    try:
        return (BUILT / PAGE).stat().st_mtime_ns
    except FileNotFoundError:
        return 0


@lru_cache(1)
def _built(edition: int) -> Mapping[str, File]:
    if not edition:
        return {}
    there = [path for path in BUILT.rglob("*") if path.is_file() and path.suffix in MEDIA]
    return {path.relative_to(BUILT).as_posix(): _read(path) for path in there}


def _read(path: Path) -> File:
    body = path.read_bytes()
    bodies = {b"identity": body}
    for packing, ending in PACKED:
        packed = path.with_name(path.name + ending)
        if packed.is_file():
            bodies[packing] = packed.read_bytes()
    return File(bodies, MEDIA[path.suffix], _tag(body))


def _tag(body: bytes) -> bytes:
    return b'"%b"' % sha256(body).hexdigest()[:32].encode()


def _elsewhere(place: bytes) -> Answer:
    """Relative, so that what a proxy puts before our paths stays there."""
    return Answer(307, headers=((b"location", place), (b"vary", b"accept")))


ROUTES = [root, dashboard]
