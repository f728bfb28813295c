"""Who may see the dashboard: log in, log out, and come back to where one wanted to go."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.served import PASSWORD, Served


def test_a_stranger_logs_in_and_comes_to_where_they_wanted_to_go_and_logs_out(
    page: Page, guarded: Served
) -> None:
    page.goto(f"{guarded.ui}queues")
    expect(page.get_by_role("heading", level=1)).to_have_text("Log in to Windlass")

    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Queues")
    expect(page).to_have_url(f"{guarded.ui}queues")
    page.get_by_role("button", name="Account and settings of ada").click()
    page.get_by_role("menuitem", name="Log out").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Log in to Windlass")
    page.goto(guarded.ui)
    expect(page.get_by_role("heading", level=1)).to_have_text("Log in to Windlass")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_keeps_anybody_from_logging_in(
    stage: None,
    open_context: Callable[..., BrowserContext],
    guarded: Served,
    axe: Callable[[Page], list[str]],
    theme: str,
) -> None:
    page = open_context(color_scheme=theme).new_page()
    page.goto(f"{guarded.ui}login")

    expect(page.get_by_role("heading", level=1)).to_have_text("Log in to Windlass")

    assert axe(page) == []


def test_a_wrong_password_is_told_in_words(page: Page, guarded: Served) -> None:
    page.goto(f"{guarded.ui}login")

    page.get_by_label("Name").fill("bob")
    page.get_by_label("Password").fill("not it")
    page.get_by_role("button", name="Log in").click()

    expect(page.get_by_role("alert")).to_contain_text("password")
    assert "not it" not in page.url


def test_an_address_of_somebody_else_is_not_gone_to_after_the_login(
    page: Page, guarded: Served
) -> None:
    page.goto(f"{guarded.ui}login?to=//evil.example/")

    page.get_by_label("Name").fill("bob")
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", level=1)).to_have_text("Overview")
    expect(page).to_have_url(guarded.ui)
