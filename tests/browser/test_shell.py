"""What stands around every page of the dashboard: the ways to it, keys and themes."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.served import Served

Axe = Callable[[Page], list[str]]
See = Callable[[Page, str], None]
Open = Callable[..., BrowserContext]

PHONE = {"width": 390, "height": 844}
PLACES = {
    "": "Overview",
    "jobs": "Jobs",
    "dead": "Dead letters",
    "queues": "Queues",
    "workers": "Workers",
    "submit": "Submit",
    "mail": "Mail",
    "people": "Users and tokens",
}


def test_the_root_leads_a_browser_to_the_dashboard(page: Page, served: Served) -> None:
    page.goto(served.url)

    expect(page.get_by_role("heading", level=1)).to_have_text("Overview")
    assert page.url == served.ui


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_keeps_anybody_from_using_a_page(
    stage: None, open_context: Open, served: Served, axe: Axe, see: See, theme: str
) -> None:
    letter = dead_letter(served)
    page = open_context(color_scheme=theme, reduced_motion="reduce").new_page()
    page.goto(served.ui)

    found = {}
    for place, heading in {**PLACES, f"jobs/{letter}": "spill"}.items():
        go(page, place, heading)
        see(page, f"{heading.lower()}-{theme}")
        found[heading] = axe(page)
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    found["a question"] = axe(page)

    assert {place: wrong for place, wrong in found.items() if wrong} == {}


def test_everything_is_there_on_a_phone(
    stage: None, open_context: Open, served: Served, axe: Axe, see: See
) -> None:
    page = open_context(viewport=PHONE, has_touch=True, color_scheme="dark").new_page()
    page.goto(served.ui)

    page.get_by_role("button", name="Overview").tap()
    see(page, "phone-menu")
    page.get_by_role("menuitemradio", name="Queues").tap()

    expect(page.get_by_role("heading", level=1)).to_have_text("Queues")
    for place, heading in PLACES.items():
        go(page, place, heading)
        see(page, f"{heading.lower()}-phone")
        assert axe(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], place


def test_keys_lead_to_pages_and_help_tells_them(page: Page, served: Served, see: See) -> None:
    page.goto(served.ui)
    expect(page.get_by_role("heading", level=1)).to_have_text("Overview")

    page.keyboard.press("g")
    page.keyboard.press("q")
    expect(page.get_by_role("heading", level=1)).to_have_text("Queues")
    page.keyboard.press("?")

    help_ = page.get_by_role("dialog", name="Keys")
    expect(help_.get_by_text("Go to Dead letters")).to_be_visible()
    see(page, "help")
    page.keyboard.press("Escape")
    expect(help_).to_be_hidden()


def test_the_palette_finds_pages_and_jobs(page: Page, served: Served, axe: Axe, see: See) -> None:
    job = served.submit("greet", {"name": "Ada"})
    page.goto(served.ui)
    expect(page.get_by_role("heading", level=1)).to_have_text("Overview")

    page.keyboard.press("Control+k")
    see(page, "palette")
    assert axe(page) == []
    page.get_by_role("combobox").fill("dead")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Dead letters")
    page.keyboard.press("Control+k")
    page.get_by_role("combobox").fill(job)
    page.keyboard.press("Enter")

    expect(page).to_have_url(f"{served.ui}jobs/{job}")


def turned_light(page: Page) -> bool:
    """Whether the page follows the system; a busy browser may pass over one change of it."""
    page.emulate_media(color_scheme="dark")
    page.emulate_media(color_scheme="light")
    page.evaluate("new Promise(requestAnimationFrame)")
    return page.locator("html").get_attribute("data-theme") == "light"


def test_the_theme_is_the_systems_until_one_is_chosen_and_stays(
    stage: None, open_context: Open, served: Served
) -> None:
    page = open_context(color_scheme="dark").new_page()
    page.goto(served.ui)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    shown = page.locator("html")

    expect(shown).to_have_attribute("data-theme", "dark")
    served.until(lambda: turned_light(page))
    page.get_by_role("button", name="Account and settings").click()
    page.get_by_role("menuitemradio", name="Dark theme").click()
    expect(shown).to_have_attribute("data-theme", "dark")
    page.reload()

    expect(shown).to_have_attribute("data-theme", "dark")


def test_the_focus_begins_at_a_way_past_the_navigation_and_shows(
    page: Page, served: Served
) -> None:
    page.goto(served.ui)
    expect(page.get_by_role("heading", level=1)).to_be_visible()

    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the page")
    expect(skip).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    page.keyboard.press("Shift+Tab")

    outline = page.evaluate("getComputedStyle(document.activeElement).outlineWidth")
    assert outline == "2px"


def test_an_address_that_leads_nowhere_says_so(page: Page, served: Served) -> None:
    page.goto(f"{served.ui}no/such/page")

    expect(page.get_by_role("heading", name="There is no such page")).to_be_visible()
    page.get_by_role("link", name="Go to the overview").click()
    expect(page).to_have_url(served.ui)


def dead_letter(served: Served) -> str:
    """One that failed, so that there is something to see."""
    letter = served.submit("spill")
    served.finished(letter)
    return letter


def go(page: Page, place: str, heading: str) -> None:
    """Go to a page without loading the whole anew, and wait until all of it is there."""
    page.evaluate("place => history.pushState({}, '', document.baseURI + place)", place)
    expect(page).to_have_url(re.compile(rf"/ui/{place}$"))
    expect(page.locator("#main h1")).to_contain_text(heading)
    expect(page.locator("#main [data-skeleton]")).to_have_count(0)
