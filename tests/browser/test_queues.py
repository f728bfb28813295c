"""Queues, as the dashboard shows and stops them."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.served import Served


def test_a_queue_is_paused_explains_itself_and_goes_on(
    page: Page, served: Served, axe: Callable[[Page], list[str]], see: Callable[[Page, str], None]
) -> None:
    served.finished(served.submit("greet", {"name": "Ada"}, queue="galley"))
    page.goto(f"{served.ui}queues")

    page.get_by_role("button", name="Pause galley").click()
    expect(page.get_by_role("button", name="Resume galley")).to_be_visible()
    held = served.submit("greet", {"name": "Grace"}, queue="galley")
    why = served.get(f"/jobs/{held}/explain")["reasons"]
    see(page, "queues-light")
    found = axe(page)
    page.get_by_role("button", name="Resume galley").click()

    assert any("paused" in sentence for sentence in why)
    assert served.finished(held)["status"] == "completed"
    assert found == []


def test_the_depth_of_a_queue_is_told_as_it_grows(page: Page, served: Served) -> None:
    served.post("/queues/hold-full/pause")
    served.submit("greet", {"name": "Ada"}, queue="hold-full")
    page.goto(f"{served.ui}queues")
    row = page.get_by_role("row").filter(has_text="hold-full")
    expect(row.get_by_role("gridcell").nth(1)).to_have_text("1")

    for name in ("Grace", "Hedy"):
        served.submit("greet", {"name": name}, queue="hold-full")

    expect(row.get_by_role("gridcell").nth(1)).to_have_text("3")
    served.post("/queues/hold-full/resume")
