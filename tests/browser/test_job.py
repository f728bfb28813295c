"""A job, as the dashboard shows it: why it waits, what it does, how it ended."""

from collections.abc import Callable

from playwright.sync_api import BrowserContext, Locator, Page, ViewportSize, expect

from tests.browser.served import Served

Axe = Callable[[Page], list[str]]
See = Callable[[Page, str], None]
Open = Callable[..., BrowserContext]

PHONE: ViewportSize = {"width": 390, "height": 844}
QUICKLY = {"base": 0.05, "factor": 1.0, "cap": 1.0}
AN_HOUR = 3600


def test_a_job_of_a_paused_queue_says_why_it_waits_and_goes_on_from_there(
    page: Page, served: Served, axe: Axe, see: See
) -> None:
    served.post("/queues/locker/pause")
    job = served.submit("greet", {"name": "Ada"}, queue="locker", idempotency_key="locker-1")
    page.goto(f"{served.ui}jobs/{job}")

    why = page.get_by_role("region", name="Why is it waiting?")
    expect(why).to_contain_text("Queue locker is paused by")
    see(page, "job-waiting")
    found = axe(page)
    why.get_by_role("button", name="Resume locker").click()

    expect(badge(page, "completed")).to_be_visible()
    result = page.get_by_role("region", name="Result")
    expect(result).to_contain_text("Ahoy, Ada!")
    expect(page.get_by_role("region", name="Facts")).to_contain_text("locker-1")
    assert found == []


def test_a_job_that_failed_before_it_succeeded_tells_of_both(
    stage: None, open_context: Open, served: Served, axe: Axe, see: See
) -> None:
    page = open_context(color_scheme="dark").new_page()
    job = served.submit("waver", {"failures": 1}, backoff=QUICKLY)
    page.goto(f"{served.ui}jobs/{job}")

    expect(badge(page, "completed")).to_be_visible()
    timeline = page.get_by_role("region", name="Timeline")
    tries = timeline.get_by_role("listitem").filter(has_text="Attempt")
    expect(tries).to_have_count(2)
    expect(tries.nth(0)).to_contain_text("Failed")
    expect(tries.nth(1)).to_contain_text("Completed")
    tries.nth(0).get_by_text("Spilled: not this time", exact=True).click()
    expect(tries.nth(0).get_by_text("Traceback (most recent call last)")).to_be_visible()
    logs = page.get_by_role("log", name="Logs")
    expect(logs).to_contain_text("attempt 1 begins")
    expect(logs).to_contain_text("made up its mind")
    expect(page.get_by_role("group", name="result")).to_contain_text("attempts")
    see(page, "job-dark")
    assert axe(page) == []
    page.set_viewport_size(PHONE)
    see(page, "job-phone-dark")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_a_running_job_tells_how_far_it_is_stops_when_asked_and_comes_back(
    page: Page, served: Served, see: See
) -> None:
    gate = served.folder / "gate"
    job = served.submit("hold", {"until": str(gate)})
    page.goto(f"{served.ui}jobs/{job}")

    expect(page.get_by_role("meter", name="Progress")).to_have_attribute("aria-valuetext", "50 %")
    expect(page.get_by_role("log", name="Logs")).to_contain_text("holding the load")
    see(page, "job-running")
    page.keyboard.press("c")
    expect(badge(page, "cancelled")).to_be_visible()
    page.get_by_role("button", name="Retry").click()
    expect(badge(page, "running")).to_be_visible()
    gate.touch()

    expect(badge(page, "completed")).to_be_visible()
    expect(page.get_by_role("log", name="Logs")).to_contain_text("letting go")


def test_a_job_for_later_can_be_run_now(page: Page, served: Served) -> None:
    job = served.submit("greet", {"name": "Grace"}, delay=AN_HOUR)
    page.goto(f"{served.ui}jobs/{job}")

    expect(page.get_by_role("region", name="Why is it waiting?")).to_contain_text("due in")
    page.get_by_role("button", name="Run now").click()

    expect(badge(page, "completed")).to_be_visible()


def test_a_picture_that_a_job_kept_is_shown(page: Page, served: Served) -> None:
    job = served.submit("sketch")
    served.finished(job)
    page.goto(f"{served.ui}jobs/{job}")

    picture = page.get_by_role("img", name="Result dot.gif")

    expect(picture).to_have_js_property("naturalWidth", 1)


def test_a_finished_job_leads_to_the_ones_it_belongs_to_and_is_deleted(
    page: Page, served: Served
) -> None:
    first = served.submit("spill", {"what": "ink"})
    served.finished(first)
    second = served.post(f"/jobs/{first}/replay", {"payload": {"what": "tea"}})["id"]
    served.finished(second)
    page.goto(f"{served.ui}jobs/{second}")

    page.get_by_role("link", name=first).click()
    expect(page.get_by_role("link", name=second)).to_be_visible()
    shell = page.get_by_role("region", name="Submit the same again")
    shell.get_by_role("tab", name="Shell").click()
    expect(shell).to_contain_text('windlass enqueue spill \'{"what":"ink"}\'')
    again = page.get_by_role("link", name="Edit and run again")
    expect(again).to_have_attribute("href", f"/ui/submit?from={first}")
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page).to_have_url(f"{served.ui}jobs")
    page.goto(f"{served.ui}jobs/{first}")

    expect(page.get_by_role("heading", name="There is no such job")).to_be_visible()


def badge(page: Page, state: str) -> Locator:
    """The state in the heading."""
    return page.get_by_role("heading", level=1).locator(f"[data-state={state}]")
