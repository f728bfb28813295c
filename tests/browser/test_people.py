"""Users and tokens, as an administrator manages them."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.served import PASSWORD, Served


def log_in(page: Page, guarded: Served) -> None:
    """As one who may manage others."""
    page.goto(f"{guarded.ui}people")
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Users and tokens")


def test_a_user_is_added_and_removed(
    page: Page, guarded: Served, axe: Callable[[Page], list[str]], see: Callable[[Page, str], None]
) -> None:
    log_in(page, guarded)

    page.get_by_role("button", name="Add a user").click()
    page.get_by_role("dialog").get_by_label("Name").fill("grace")
    page.get_by_role("dialog").get_by_label("Password").fill("a long enough password")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("button", name="Remove grace")).to_be_visible()
    see(page, "people-light")
    found = axe(page)
    page.get_by_role("button", name="Remove grace").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove grace").click()

    expect(page.get_by_role("button", name="Remove grace")).to_have_count(0)
    assert found == []


def test_a_token_is_shown_once_and_revoked(page: Page, guarded: Served) -> None:
    log_in(page, guarded)

    page.get_by_label("For", exact=True).fill("billing")
    page.get_by_role("button", name="Make a token").click()
    jti = page.get_by_test_id("token-id").inner_text()
    page.get_by_role("button", name="I have it").click()
    page.get_by_label("Revoke the token").fill(jti)
    page.get_by_role("button", name="Revoke").click()

    expect(page.get_by_text("Revoked: nobody gets in")).to_be_visible()


def test_where_nobody_has_to_log_in_it_is_told_how_to_ask_for_it(
    page: Page, served: Served, axe: Callable[[Page], list[str]]
) -> None:
    page.goto(f"{served.ui}people")

    expect(page.get_by_role("heading", level=2)).to_have_text("Nobody has to log in here")
    assert axe(page) == []
