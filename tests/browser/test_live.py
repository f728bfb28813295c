"""News from the server: one stream for all tabs of a browser, and what to do without it."""

import pytest
from playwright.sync_api import BrowserContext, Page, Request, Route, expect

from tests.browser.chromium import Stage
from tests.browser.served import Served


@pytest.fixture
def streams(stage: Stage, context: BrowserContext) -> list[Request]:
    """The streams of news that this browser has asked for and that have not ended."""
    flowing: list[Request] = []

    def begin(request: Request) -> None:
        if "/events" in request.url:
            flowing.append(request)

    def end(request: Request) -> None:
        if request in flowing:
            flowing.remove(request)

    def listen() -> None:
        context.on("request", begin)
        context.on("requestfailed", end)
        context.on("requestfinished", end)

    stage.play(listen)
    return flowing


def test_two_tabs_share_one_stream_and_the_one_that_stays_takes_it_over(
    context: BrowserContext, served: Served, streams: list[Request]
) -> None:
    first, second = opened(context, served), opened(context, served)
    assert len(streams) == 1

    with second.expect_request("**/events?*"):
        first.close()
    served.finished(served.submit("spill"))

    badge = second.get_by_role("link", name="Dead letters")
    expect(badge).to_contain_text(str(served.get("/stats")["failed"]))
    assert [stream.frame.page for stream in streams if not stream.frame.page.is_closed()] == [
        second
    ]


def test_counts_move_without_reload(page: Page, served: Served) -> None:
    page.goto(served.ui)
    expect(page.get_by_role("status").get_by_text("Live")).to_be_visible()
    before = served.get("/stats").get("failed", 0)

    served.finished(served.submit("spill"))

    badge = page.get_by_role("link", name="Dead letters")
    expect(badge).to_contain_text(str(before + 1))


def test_without_the_stream_the_server_is_asked_instead(page: Page, served: Served) -> None:
    page.route("**/events?*", refuse)
    page.goto(served.ui)

    expect(page.get_by_role("status").get_by_text("Every 5 s")).to_be_visible()
    page.unroute("**/events?*")
    expect(page.get_by_role("status").get_by_text("Live")).to_be_visible()


def opened(context: BrowserContext, served: Served) -> Page:
    """A tab that hears the news."""
    page = context.new_page()
    page.goto(served.ui)
    expect(page.get_by_role("status").get_by_text("Live")).to_be_visible()
    return page


def refuse(route: Route) -> None:
    route.fulfill(status=503, body="")
