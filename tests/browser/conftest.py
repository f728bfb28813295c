"""A browser, a page in it, and a real server with workers; all tests of a process share them."""

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.browser.axe import violations
from tests.browser.chromium import PATIENCE_MS, Stage, chromium
from tests.browser.served import Served, add_user, serving

HERE = Path(__file__).parent
SEEN = HERE / "seen"
APP = "tests.browser.trade:app"
SECRET = "long-enough-to-be-a-secret-of-tests"  # noqa: S105 - for these tests only
WIDE = {"width": 1440, "height": 900}


@pytest.fixture(scope="session")
def stage() -> Iterator[Stage]:
    """Where browsers are spoken to."""
    stage = Stage()
    yield stage
    stage.close()


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run every test of this folder that asks for a page where its browser is spoken to."""
    stage = pyfuncitem.funcargs.get("stage")
    if not isinstance(stage, Stage):
        return None
    wanted = inspect.signature(pyfuncitem.obj).parameters
    stage.play(pyfuncitem.obj, **{name: pyfuncitem.funcargs[name] for name in wanted})
    return True


@pytest.fixture(scope="session")
def browser(stage: Stage) -> Iterator[Browser]:
    """A real Chromium."""
    with chromium(stage) as browser:
        yield browser


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A real `windlass up` on SQLite with a worker, and the jobs of tests/browser/trade.py."""
    folder = tmp_path_factory.mktemp("served")
    url = f"sqlite:///{folder / 'windlass.db'}"
    options = ("--app", APP, "--processes", "1", "--slots", "8", "--mail-sink")
    with serving(folder, url, *options) as served:
        yield served


@pytest.fixture(scope="session")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Another one, which lets in only who logs in: ada may do everything, bob may read."""
    folder = tmp_path_factory.mktemp("guarded")
    url = f"sqlite:///{folder / 'windlass.db'}"
    add_user(url, folder, "ada", "admin")
    add_user(url, folder, "bob", "jobs:read")
    with serving(folder, url, "--processes", "1", environ={"WINDLASS_SECRET": SECRET}) as served:
        yield served


@pytest.fixture
def open_context(stage: Stage, browser: Browser) -> Iterator[Callable[..., BrowserContext]]:
    """Makes a browser of its own, with no cookies; options as Playwright has them.

    What a page complains about fails the test: errors that nobody caught, and what the policy
    forbids.
    """
    made: list[BrowserContext] = []
    complaints: list[str] = []

    def open_(**options: Any) -> BrowserContext:
        context = browser.new_context(**{"locale": "en-US", "viewport": WIDE, **options})
        context.set_default_timeout(PATIENCE_MS)
        context.on("weberror", lambda error: complaints.append(str(error.error)))
        context.on(
            "console",
            lambda message: (
                complaints.append(message.text)
                if "Content Security Policy" in message.text
                else None
            ),
        )
        made.append(context)
        return context

    yield open_
    for context in made:
        stage.play(context.close)
    assert complaints == []


@pytest.fixture
def context(stage: Stage, open_context: Callable[..., BrowserContext]) -> BrowserContext:
    """A browser with no cookies."""
    return stage.play(open_context)


@pytest.fixture
def page(stage: Stage, context: BrowserContext) -> Page:
    """An empty tab."""
    return stage.play(context.new_page)


@pytest.fixture
def axe() -> Callable[[Page], list[str]]:
    """Says what keeps people from using a page; nothing should."""
    return violations


@pytest.fixture
def see() -> Callable[[Page, str], None]:
    """Keeps a picture of a page in tests/browser/seen, for people to look at."""

    def keep(page: Page, name: str) -> None:
        SEEN.mkdir(exist_ok=True)
        page.screenshot(path=SEEN / f"{name}.png")

    return keep
