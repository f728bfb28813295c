"""Dead letters: by what went wrong, and the ways back."""

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.served import Served


def test_what_failed_in_the_same_way_stands_together_and_is_replayed_at_once(
    page: Page, served: Served, axe: Callable[[Page], list[str]], see: Callable[[Page, str], None]
) -> None:
    shelf = served.folder / "shelf"
    letters = [served.submit("fetch", {"where": str(shelf), "number": n}) for n in range(3)]
    for letter in letters:
        assert served.finished(letter)["status"] == "failed"
    page.goto(f"{served.ui}dead")
    group = page.get_by_role("region").filter(has_text="fetch")
    expect(group).to_have_count(1)
    expect(group).to_contain_text("3")
    see(page, "dead-light")
    found = axe(page)

    Path(shelf).touch()
    group.get_by_role("button", name="Replay all").click()
    page.get_by_role("button", name="Replay 3 jobs").click()

    expect(page.get_by_text("Retried 3 jobs")).to_be_visible()
    assert {served.finished(letter)["status"] for letter in letters} == {"completed"}
    assert found == []


def test_dead_letters_are_deleted_only_after_a_second_thought(page: Page, served: Served) -> None:
    letter = served.submit("spill", {"what": "molasses"})
    served.finished(letter)
    page.goto(f"{served.ui}dead")
    group = page.get_by_role("region").filter(has_text="molasses")

    group.get_by_role("button", name="Delete 1 dead letter").click()
    page.get_by_role("button", name="Keep as it is").click()
    kept = served.job(letter)["status"]
    group.get_by_role("button", name="Delete 1 dead letter").click()
    page.get_by_role("button", name="Delete 1 job").click()

    expect(group).to_have_count(0)
    assert kept == "failed"
