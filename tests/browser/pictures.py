"""Take the pictures of the dashboard in docs/images anew, with `python -m tests.browser.pictures`.

A shop runs for some minutes first, so that there is something to see.
"""

import math
import random
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import gettempdir
from typing import Any, Literal

from PIL import Image, ImageOps
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.browser.chromium import Stage, chromium
from tests.browser.served import Served, serving

HERE = Path(__file__).parent
IMAGES = HERE.parents[1] / "docs" / "images"
Theme = Literal["light", "dark"]
THEMES: dict[Theme, str] = {"light": "", "dark": "-dark"}
LASTS = 320.0
EVERY = 0.5
WINDOW: ViewportSize = {"width": 1280, "height": 800}
SCALE = 1.5
USERS = ("ada", "grace", "hedy", "margaret", "barbara", "katherine")
CARRIERS = ("DPD", "GLS", "UPS")
# Of the same colours as lines in the dashboard: on a page as dark as it, edges show.
EDGES: dict[Theme, str] = {"light": "#e6e6ea", "dark": "#26272e"}
EDGE = 2
QUICKLY = {"base": 2.0, "factor": 1.0, "cap": 4.0}


def main() -> None:
    """Run the shop, look at it, and close it."""
    stage = Stage()
    with shop() as served, trading(served), chromium(stage) as browser:
        time.sleep(LASTS)
        letter = served.get("/dead")["groups"][0]["sample"]
        for theme, mark in THEMES.items():
            stage.play(take, browser, served, letter, theme, mark)
    stage.close()


@contextmanager
def shop() -> Iterator[Served]:
    """In a folder whose name may be seen: tracebacks show it."""
    folder = Path(gettempdir()) / "shop"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    shutil.copy(HERE / "shop.py", folder)
    url = f"sqlite:///{folder / 'windlass.db'}"
    fleet = ("--port", "8080", "--processes", "2", "--slots", "12")
    with serving(folder, url, "--app", "shop:app", *fleet) as served:
        yield served
    shutil.rmtree(folder)


@contextmanager
def trading(served: Served) -> Iterator[None]:
    """As long as the block lasts; business comes in waves."""
    over = threading.Event()

    def trade() -> None:
        order = 6_000
        begun = time.monotonic()
        while not over.wait(EVERY):
            now = time.monotonic() - begun
            many = max(round(3 + 3 * math.sin(now / 25) + random.uniform(-1, 1)), 1)
            orders = range(order, order + many)
            served.post("/jobs/batch", {"jobs": [job for one in orders for job in wanted(one)]})
            order += many

    thread = threading.Thread(target=trade)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def wanted(order: int) -> Iterator[dict[str, Any]]:
    """What an order asks for."""
    amount = round(random.uniform(5, 250), 2)
    charge = {"order": order, "amount": amount}
    yield {"type": "charge_card", "payload": charge, "backoff": QUICKLY}
    if order % 2 == 0:
        yield {"type": "welcome_mail", "payload": {"user": random.choice(USERS)}}
    if order % 3 == 0:
        parcel = {"order": order, "carrier": random.choice(CARRIERS)}
        yield {"type": "book_parcel", "payload": parcel, "backoff": QUICKLY}
    if order % 7 == 0:
        parcel = {"order": order, "carrier": random.choice(CARRIERS)}
        yield {"type": "book_parcel", "payload": parcel, "delay": 600}
    if order % 90 == 0:
        yield {"type": "monthly_report", "payload": {"month": f"2026-{order // 90 % 12 + 1:02}"}}


def take(browser: Browser, served: Served, letter: str, theme: Theme, mark: str) -> None:
    """All of them, in one theme."""
    context = browser.new_context(
        color_scheme=theme, viewport=WINDOW, device_scale_factor=SCALE, locale="en-US"
    )
    page = context.new_page()
    places = {"overview": "?window=5m", "jobs": "jobs", "job": f"jobs/{letter}", "dead": "dead"}
    for name, place in places.items():
        page.goto(served.ui + place)
        expect(page.locator("#main h1")).to_be_visible()
        expect(page.locator("#main [data-skeleton]")).to_have_count(0)
        expect(page.get_by_role("status").get_by_text("Live")).to_be_visible()
        page.mouse.move(0, 0)
        keep(page, EDGES[theme], IMAGES / f"{name}{mark}.png")
    context.close()


def keep(page: Page, edge: str, path: Path) -> None:
    """As small as it gets without harm to the eye."""
    picture = Image.open(BytesIO(page.screenshot())).convert("RGB")
    picture = ImageOps.expand(picture, EDGE, edge)
    few = picture.quantize(method=Image.Quantize.MAXCOVERAGE, kmeans=3, dither=Image.Dither.NONE)
    few.save(path, optimize=True)


if __name__ == "__main__":
    main()
