"""Workers, as the dashboard shows and empties them."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.served import Served


def test_what_a_worker_runs_leads_to_the_job(
    page: Page, served: Served, axe: Callable[[Page], list[str]], see: Callable[[Page, str], None]
) -> None:
    go_on = served.folder / "go-on-from-workers"
    held = served.submit("hold", {"until": str(go_on)}, name="long haul")
    page.goto(f"{served.ui}workers")

    expect(page.get_by_role("link", name="long haul")).to_be_visible()
    see(page, "workers-light")
    found = axe(page)
    page.get_by_role("link", name="long haul").click()

    expect(page).to_have_url(f"{served.ui}jobs/{held}")
    assert found == []
    go_on.touch()
    assert served.finished(held)["status"] == "completed"


def test_a_worker_is_drained_and_takes_jobs_again(page: Page, served: Served) -> None:
    served.until(lambda: any(one["alive"] for one in served.get("/workers")))
    worker = next(one["id"] for one in served.get("/workers") if one["alive"])
    page.goto(f"{served.ui}workers")

    page.get_by_role("button", name=f"Drain {worker}").click()
    expect(page.get_by_text("Draining").first).to_be_visible()
    page.get_by_role("button", name=f"Resume {worker}").click()

    expect(page.get_by_role("button", name=f"Drain {worker}")).to_be_visible()
    assert served.finished(served.submit("greet", {"name": "Ada"}))["status"] == "completed"
