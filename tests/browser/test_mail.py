"""Mail that the sink has caught."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.served import Served


def test_mail_that_a_job_sent_can_be_read(
    page: Page, served: Served, axe: Callable[[Page], list[str]], see: Callable[[Page, str], None]
) -> None:
    letter = {"to": "ada@example.com", "subject": "Ahoy, Ada", "body": "All hands on deck"}
    page.goto(f"{served.ui}mail")

    served.finished(served.submit("email", letter))
    page.get_by_role("button", name="Ahoy, Ada").click()
    expect(page.get_by_text("All hands on deck")).to_be_visible()
    see(page, "mail-light")
    found = axe(page)
    page.get_by_role("tab", name="Headers").click()

    expect(page.get_by_text("Message-ID")).to_be_visible()
    assert found == []
