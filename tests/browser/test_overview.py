"""The overview: what is wrong, how much flows, how long it takes, and what fails."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.served import Served, serving

Axe = Callable[[Page], list[str]]
See = Callable[[Page, str], None]
Open = Callable[..., BrowserContext]

# As that of a browser without a locale, which Intl refuses.
OF_NO_LANGUAGE = """
Object.defineProperty(navigator, "language", { value: "en-US@posix", configurable: true })
"""


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Served]:
    """One that nothing was ever submitted to."""
    url = f"sqlite:///{tmp_path / 'windlass.db'}"
    with serving(tmp_path, url, "--processes", "1") as served:
        yield served


def test_who_has_no_jobs_yet_is_taught_how_to_submit_one(page: Page, fresh: Served) -> None:
    page.goto(fresh.ui)

    expect(page.get_by_role("heading", name="No job was ever submitted here")).to_be_visible()
    expect(page.get_by_text(f"curl {fresh.url}/jobs")).to_be_visible()
    fresh.submit("add_numbers", {"x": 2, "y": 3})

    expect(page.get_by_role("region", name="Jobs now")).to_be_visible()


def test_counts_charts_and_failures_show_what_happens(
    page: Page, served: Served, axe: Axe, see: See
) -> None:
    for name in ("Ada", "Bob"):
        served.submit("greet", {"name": name})
    served.finished(served.submit("spill", {"what": "the overview's soup"}))

    page.goto(served.ui)

    tiles = page.get_by_role("region", name="Jobs now")
    expect(tiles.get_by_role("link", name="Completed")).to_be_visible()
    for title in ("Throughput", "Waiting and running", "Time in the queue", "Time to run"):
        expect(page.get_by_role("figure", name=title).locator("canvas")).to_be_visible()
    failing = page.get_by_role("region", name="Failing most")
    expect(failing.get_by_text("spilled the the overview's soup")).to_be_visible()
    assert axe(page) == []
    see(page, "overview")


def test_a_chart_can_be_read_as_a_table(page: Page, served: Served) -> None:
    served.finished(served.submit("greet", {"name": "Ada"}))
    page.goto(served.ui)

    chart = page.get_by_role("figure", name="Throughput")
    chart.get_by_role("button", name="Table").click()

    expect(chart.get_by_role("columnheader", name="Completed")).to_be_visible()
    chart.get_by_role("button", name="Chart").click()
    expect(chart.locator("canvas")).to_be_visible()


def test_charts_are_drawn_in_a_browser_whose_language_nobody_knows(
    page: Page, served: Served
) -> None:
    page.add_init_script(OF_NO_LANGUAGE)
    served.finished(served.submit("greet", {"name": "Ada"}))

    page.goto(served.ui)

    expect(page.get_by_role("figure", name="Throughput").locator("canvas")).to_be_visible()


def test_how_far_back_one_looks_is_in_the_address(page: Page, served: Served) -> None:
    served.finished(served.submit("greet", {"name": "Ada"}))
    page.goto(served.ui)

    page.get_by_text("6 h", exact=True).click()

    expect(page).to_have_url(f"{served.ui}?window=6h")
    page.reload()
    expect(page.get_by_role("radio", name="6 h")).to_be_checked()


def test_a_queue_that_nobody_serves_is_told_in_words_and_leads_to_it(
    page: Page, served: Served
) -> None:
    served.post("/queues/harbour/pause")
    served.submit("greet", {"name": "Ada"}, queue="harbour")
    page.goto(served.ui)

    incident = page.get_by_role("list", name="What is wrong").get_by_text("harbour")
    expect(incident).to_be_visible()
    incident.click()
    expect(page).to_have_url(f"{served.ui}queues")

    served.post("/queues/harbour/resume")
