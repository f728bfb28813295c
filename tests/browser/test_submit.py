"""Jobs that are submitted by hand, and what becomes of them."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.served import Served


def test_a_job_is_submitted_by_a_form_and_watched_until_its_result(
    page: Page, served: Served, axe: Callable[[Page], list[str]], see: Callable[[Page, str], None]
) -> None:
    page.goto(f"{served.ui}submit?type=greet")

    page.get_by_label("name", exact=True).fill("Ada")
    page.get_by_label("Idempotency key").fill("ada-once")
    see(page, "submit-light")
    found = axe(page)
    page.get_by_role("button", name="Submit", exact=True).click()

    expect(page.get_by_text("Completed").first).to_be_visible()
    expect(page.get_by_text("Ahoy, Ada!").first).to_be_visible()
    assert found == []


def test_a_payload_that_does_not_fit_is_told_and_nothing_is_submitted(
    page: Page, served: Served
) -> None:
    page.goto(f"{served.ui}submit?type=stumble")

    page.get_by_role("tab", name="JSON").click()
    page.get_by_role("textbox", name="Payload").fill('{"times": "many", "over": 1}')
    page.get_by_role("button", name="Submit", exact=True).click()

    expect(page.get_by_role("alert")).to_contain_text("times")
    assert page.url == f"{served.ui}submit?type=stumble"
    assert served.get("/jobs?type=stumble&q=payload.times:many") == []


def test_a_dead_letter_is_edited_and_replayed(page: Page, served: Served) -> None:
    spilled = served.submit("spill", {"what": "gravy"})
    assert served.finished(spilled)["status"] == "failed"
    page.goto(f"{served.ui}submit?from={spilled}")

    page.get_by_label("what").fill("tea")
    page.get_by_role("button", name="Run again like this").click()

    expect(page.get_by_text("caught it").first).to_be_visible()
    assert served.job(spilled)["status"] == "failed"
