"""Pictures are really resized, and none is larger in memory than allowed."""

import asyncio
import base64
import struct
import threading
import zlib
from collections.abc import AsyncIterator
from io import BytesIO
from typing import Any

import pytest
from aiohttp import web
from PIL import Image

from tests.executors.attempts import Desk, context
from tests.executors.receivers import Receiver, receiver
from tests.waiting import until
from windlass import State, Windlass
from windlass.clock import SystemChance, SystemClock
from windlass.core.errors import BadPayload
from windlass.executors import image as image_module
from windlass.executors.base import Discard
from windlass.executors.door import Door
from windlass.executors.exchange import Unreachable
from windlass.executors.handlers import from_object
from windlass.executors.image import Resized, ResizeImage
from windlass.executors.pixels import Wish, target
from windlass.executors.reach import parse_reach
from windlass.executors.webhook import NotTaken


def picture(width: int = 40, height: int = 20, kind: str = "PNG", mode: str = "RGB") -> bytes:
    """A picture, red on the left and blue on the right."""
    drawn = Image.new(mode, (width, height), "blue")
    drawn.paste("red", (0, 0, width // 2, height))
    file = BytesIO()
    drawn.save(file, kind)
    return file.getvalue()


def png(width: int, height: int) -> bytes:
    """A tiny file that says it has so many pixels."""

    def chunk(name: bytes, data: bytes) -> bytes:
        check = struct.pack("!I", zlib.crc32(name + data))
        return struct.pack("!I", len(data)) + name + data + check

    head = struct.pack("!IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = chunk(b"IDAT", zlib.compress(b"\0" * 1000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + rows + chunk(b"IEND", b"")


class Resizer:
    """The executor as a worker would call it."""

    def __init__(self) -> None:
        clock = SystemClock()
        self.resize_image = ResizeImage(
            Door(parse_reach(["loopback"]), clock, SystemChance()), clock
        )
        self._executor = from_object(self.resize_image, {})
        self.desk = Desk()

    def enqueue(self, **payload: Any) -> str:
        """The payload as it would be kept."""
        if isinstance(content := payload.get("image"), bytes):
            payload["image"] = base64.b64encode(content).decode()
        return self._executor.validate(payload)

    async def run(self, **payload: Any) -> Resized:
        """Resize a picture."""
        resized: Resized = await self._executor.call(self.enqueue(**payload), context(self.desk))
        return resized

    def kept(self, name: str) -> Image.Image:
        """The picture in a file that was kept."""
        return Image.open(BytesIO(self.desk.files[name][1]))


@pytest.fixture
async def resizer() -> AsyncIterator[Resizer]:
    resizer = Resizer()
    yield resizer
    await resizer.resize_image.close()


@pytest.fixture
async def host() -> AsyncIterator[Receiver]:
    async with receiver() as host:
        host.answer = lambda _: web.Response(body=picture(), content_type="image/png")
        yield host


async def test_a_picture_of_the_payload_is_resized_and_kept(resizer: Resizer) -> None:
    resized = await resizer.run(image=picture(), width=10, height=30)

    shown = resizer.kept("resized.png")
    content = resizer.desk.files["resized.png"][1]
    assert resized == {
        "file": "resized.png",
        "type": "image/png",
        "width": 10,
        "height": 30,
        "bytes": len(content),
    }
    assert shown.size == (10, 30)
    assert shown.getpixel((0, 15)) == (255, 0, 0)
    assert shown.getpixel((9, 15)) == (0, 0, 255)
    assert resizer.desk.files["resized.png"][0] == "image/png"


async def test_a_picture_at_a_url_is_fetched(resizer: Resizer, host: Receiver) -> None:
    resized = await resizer.run(url=host.url, width=20)

    assert (resized["width"], resized["height"]) == (20, 10)


@pytest.mark.parametrize(
    ("wish", "size"),
    [
        ({"width": 10, "height": 10, "fit": "fill"}, (10, 10)),
        ({"width": 10, "height": 10, "fit": "cover"}, (10, 10)),
        ({"width": 10, "height": 10, "fit": "contain"}, (10, 5)),
        ({"width": 400, "height": 100, "fit": "contain"}, (200, 100)),
        ({"width": 10, "height": None, "fit": "fill"}, (10, 5)),
        ({"width": None, "height": 40, "fit": "fill"}, (80, 40)),
        ({"width": 1, "height": None, "fit": "fill"}, (1, 1)),
    ],
)
def test_the_sides_follow_from_the_wish(wish: dict[str, Any], size: tuple[int, int]) -> None:
    assert target((40, 20), Wish(**wish, format=None)) == size


@pytest.mark.parametrize("kind", ["png", "jpeg", "webp", "gif"])
@pytest.mark.parametrize("wanted", ["png", "jpeg", "webp", "gif", None])
async def test_any_format_becomes_any_other(
    kind: str, wanted: str | None, resizer: Resizer
) -> None:
    resized = await resizer.run(image=picture(kind=kind.upper()), width=10, format=wanted)

    assert resized["type"] == f"image/{wanted or kind}"
    assert resizer.kept(resized["file"]).format == (wanted or kind).upper()


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "CMYK", "I;16"])
async def test_any_kind_of_colours_can_be_read(mode: str, resizer: Resizer) -> None:
    file = BytesIO()
    Image.new(mode, (40, 20)).save(file, "JPEG" if mode == "CMYK" else "PNG")

    resized = await resizer.run(image=file.getvalue(), width=10, format="jpeg")

    assert resizer.kept(resized["file"]).size == (10, 5)


async def test_a_photo_is_turned_upright_and_tells_no_more_where_it_was_taken(
    resizer: Resizer,
) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # lies on its side
    exif[0x010F] = "a camera"
    file = BytesIO()
    Image.new("RGB", (400, 200)).save(file, "JPEG", exif=exif)

    resized = await resizer.run(image=file.getvalue(), width=10)

    assert (resized["width"], resized["height"]) == (10, 20)
    assert not resizer.kept("resized.jpeg").getexif()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (png(100_000, 100_000), "too"),
        (png(16_000, 16_000), "too"),
        (png(60_000, 10), "too many"),
        (png(1000, 1000), "cannot be read"),
        (picture()[:60], "cannot be read"),
        (b"", "cannot be read"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "cannot be read"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n", "cannot be read"),
        (b"GIF89a" + b"\xff" * 100, "picture"),
    ],
)
async def test_bombs_and_what_is_no_picture_fail_for_good(
    content: bytes, said: str, resizer: Resizer
) -> None:
    with pytest.raises(Discard, match=said):
        await resizer.run(image=content, width=10, height=10)

    assert resizer.desk.files == {}


async def test_no_picture_becomes_larger_than_allowed(resizer: Resizer) -> None:
    with pytest.raises(Discard, match="too many"):
        await resizer.run(image=picture(), width=16_000, height=16_000)
    with pytest.raises(Discard, match="too many"):
        await resizer.run(image=picture(1, 20), width=16_000)


async def test_a_file_that_is_too_long_is_not_read_to_its_end(
    resizer: Resizer, host: Receiver
) -> None:
    host.answer = lambda _: web.Response(body=b"x" * (16 * 1024 * 1024 + 1))

    with pytest.raises(Discard, match="more than"):
        await resizer.run(url=host.url, width=10)


async def test_answers_are_judged_as_those_to_webhooks(resizer: Resizer, host: Receiver) -> None:
    host.answer = lambda _: web.Response(status=404)
    with pytest.raises(Discard, match="404"):
        await resizer.run(url=host.url, width=10)

    host.answer = lambda _: web.Response(status=500)
    with pytest.raises(NotTaken, match="500"):
        await resizer.run(url=host.url, width=10)


async def test_redirects_are_followed_within_reach_only(resizer: Resizer, host: Receiver) -> None:
    places = iter(["/other", "http://10.0.0.1/x", "file:///etc/passwd"])

    def elsewhere(_: object) -> web.Response:
        return web.Response(status=302, headers={"Location": next(places)})

    host.answer = elsewhere

    with pytest.raises(Discard, match="out of reach"):
        await resizer.run(url=host.url, width=10)
    with pytest.raises(Discard, match="elsewhere"):
        await resizer.run(url=host.url, width=10)

    assert [call.path for call in host.calls] == ["/hook", "/other", "/hook"]


async def test_redirects_come_to_an_end(resizer: Resizer, host: Receiver) -> None:
    host.answer = lambda _: web.Response(status=307, headers={"Location": "/hook"})

    with pytest.raises(NotTaken, match="307"):
        await resizer.run(url=host.url, width=10)

    assert len(host.calls) == 4


async def test_a_file_that_breaks_off_is_fetched_again_later(
    resizer: Resizer, host: Receiver
) -> None:
    async def half(_: object) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": "1000"})
        response.force_close()
        return response

    host.answer = half

    with pytest.raises(Unreachable):
        await resizer.run(url=host.url, width=10)


async def test_a_cancelled_attempt_keeps_its_place_until_its_thread_ends(
    resizer: Resizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go = threading.Event(), threading.Event()

    def slow(*_: object) -> object:
        begun.set()
        assert go.wait(10)
        raise Discard("too late")

    monkeypatch.setattr(image_module, "_resize", slow)
    task = asyncio.create_task(resizer.run(image=picture(), width=10))
    await until(begun.is_set)
    task.cancel()
    await asyncio.sleep(0)
    before = task.done()
    go.set()
    await asyncio.wait([task])

    assert not before
    assert task.cancelled()


@pytest.mark.parametrize(
    "payload",
    [
        {"width": 10},
        {"image": picture(), "url": "https://x.example/", "width": 10},
        {"image": picture()},
        {"image": picture(), "width": 0},
        {"image": picture(), "width": 16_001},
        {"image": picture(), "width": 1.5},
        {"image": "no base64!", "width": 10},
        {"image": picture(), "width": 10, "format": "svg"},
        {"image": picture(), "width": 10, "fit": "zoom"},
        {"url": "file:///etc/passwd", "width": 10},
    ],
    ids=repr,
)
def test_what_leaves_open_what_to_do_is_refused_when_it_is_enqueued(
    payload: dict[str, Any],
) -> None:
    with pytest.raises(BadPayload):
        Resizer().enqueue(**payload)


async def test_a_worker_keeps_the_picture_with_the_job(store_url: str) -> None:
    content = base64.b64encode(picture()).decode()
    async with Windlass(store_url, builtins=True) as app, app.worker():
        payload = {"image": content, "width": 8, "height": 8}
        enqueued = await app.enqueue(app.job_of("resize_image", payload))
        job = await app.wait(enqueued.id)
        file = await app.kept(job.id, "resized.png")

    assert job.state is State.COMPLETED, job
    assert file is not None
    assert Image.open(BytesIO(file.content)).size == (8, 8)
