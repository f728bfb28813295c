"""Tables in Markdown."""

from collections.abc import Iterable, Sequence


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The rows under their heads, or nothing if there are none; a bar in a cell stays one."""
    lines = [_row(row) for row in rows]
    if not lines:
        return ""
    return "\n".join([_row(heads), _row(["---"] * len(heads)), *lines, ""])


def _row(cells: Sequence[str]) -> str:
    escaped = (cell.replace("|", "\\|").replace("\n", " ") for cell in cells)
    return f"| {' | '.join(escaped)} |"
