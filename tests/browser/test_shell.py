"""What stands around every page of the dashboard."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.served import Served


def test_the_root_leads_a_browser_to_the_dashboard(page: Page, served: Served) -> None:
    page.goto(served.url)

    expect(page.get_by_role("heading", level=1)).to_have_text("Overview")
    assert page.url == served.ui


def test_nothing_keeps_anybody_from_using_the_shell(
    page: Page, served: Served, axe: Callable[[Page], list[str]], see: Callable[[Page, str], None]
) -> None:
    page.goto(served.ui)
    expect(page.get_by_role("heading", level=1)).to_have_text("Overview")

    see(page, "shell-light")

    assert axe(page) == []
