"""What axe-core finds on a page that keeps people from using it."""

from pathlib import Path

from playwright.sync_api import Page

SCRIPT = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RUN = "(tags) => axe.run({ runOnly: { type: 'tag', values: tags } })"


def violations(page: Page) -> list[str]:
    """Each as a sentence, with elements. The debugger puts the script in, past the policy."""
    page.evaluate(SCRIPT.read_text())
    found = page.evaluate(RUN, RULES)["violations"]
    return [
        f"{one['id']}: {one['help']}: {[node['html'][:200] for node in one['nodes'][:5]]}"
        for one in found
    ]
