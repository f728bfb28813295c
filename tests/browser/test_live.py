"""News from the server: one stream for all tabs of a browser, and what to do without it."""

import re

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
    before = letters(second)

    with second.expect_request("**/events?*"):
        first.close()
    served.finished(served.submit("spill"))

    served.until(lambda: letters(second) > before)
    assert [stream.frame.page for stream in streams if not stream.frame.page.is_closed()] == [
        second
    ]


def test_counts_move_without_reload(page: Page, served: Served) -> None:
    page.goto(served.ui)
    expect(page.get_by_role("status").get_by_text("Live")).to_be_visible()
    before = letters(page)

    served.finished(served.submit("spill"))

    served.until(lambda: letters(page) > before)


def test_without_the_stream_the_server_is_asked_instead(page: Page, served: Served) -> None:
    page.route("**/events?*", refuse)
    page.goto(served.ui)

    expect(page.get_by_role("status").get_by_text("Every 5 s")).to_be_visible()
    page.unroute("**/events?*")
    expect(page.get_by_role("status").get_by_text("Live")).to_be_visible()


def test_a_server_that_does_not_answer_is_told_of_and_what_was_seen_stays(
    page: Page, served: Served
) -> None:
    served.finished(served.submit("greet", {"name": "Ada"}, queue="bilge"))
    page.goto(f"{served.ui}queues")
    pause = page.get_by_role("button", name="Pause bilge")
    expect(pause).to_be_visible()
    told = page.get_by_role("alert").filter(has_text="The server does not answer. What you see")

    page.route(is_asked, cut_off)
    pause.click()
    expect(told).to_be_visible()
    expect(pause).to_be_visible()
    page.unroute(is_asked)
    pause.click()

    expect(told).to_be_hidden()
    expect(page.get_by_role("button", name="Resume bilge")).to_be_visible()


def opened(context: BrowserContext, served: Served) -> Page:
    """A tab that hears the news."""
    page = context.new_page()
    page.goto(served.ui)
    expect(page.get_by_role("status").get_by_text("Live")).to_be_visible()
    return page


def letters(page: Page) -> int:
    """How many dead letters the navigation tells of."""
    told = page.get_by_role("link", name="Dead letters").inner_text()
    return int(re.sub(r"\D", "", told) or 0)


def is_asked(url: str) -> bool:
    """Whether it is the server's word, and no part of the page."""
    return "/ui/" not in url


def cut_off(route: Route) -> None:
    route.abort()


def refuse(route: Route) -> None:
    route.fulfill(status=503, body="")
