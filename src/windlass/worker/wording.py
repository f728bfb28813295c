"""What is kept of an error and of any text a handler says: short, Unicode, and no secret."""

from __future__ import annotations

import traceback

from windlass.core.secrets import without_secrets
from windlass.executors.base import Verdict

MAX_ERROR = 2_000
MAX_TRACE = 16_000
MAX_MESSAGE = 8_000

CUT = " …"


def kept(text: str, most: int = MAX_MESSAGE) -> str:
    """The text without what PostgreSQL refuses (NUL, half surrogate pairs), cut to `most`."""
    if len(text) > most:
        text = text[: most - len(CUT)] + CUT
    if text.isascii():
        return text.replace("\0", "\N{REPLACEMENT CHARACTER}")
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()


def message_text(message: str) -> str:
    """What a handler said in passing. It is cut last: half a secret would not be known as one."""
    return kept(without_secrets(message[: 2 * MAX_MESSAGE]))


def error_text(error: BaseException) -> str:
    """An error in one line: its class, and what it says."""
    name, said = type(error).__name__, _said(error)
    return kept(f"{name}: {said}" if said else name, MAX_ERROR)


def verdict_text(verdict: Verdict) -> str:
    """What a handler said of the end that it chose."""
    return kept(_said(verdict))


def error_trace(error: BaseException) -> str:
    """Where it was raised, from the handler on; the end of it says most, so the start is cut."""
    frames = error.__traceback__
    lines = traceback.format_exception(type(error), error, frames.tb_next if frames else None)
    text = without_secrets("".join(lines)[-2 * MAX_TRACE :])
    return kept(CUT + text[-MAX_TRACE:] if len(text) > MAX_TRACE else text, MAX_TRACE + len(CUT))


def _said(error: BaseException) -> str:
    try:
        return without_secrets(str(error)[:MAX_TRACE])
    except Exception:  # noqa: BLE001 — an error of the handler's own making may say anything
        return "(it cannot say what is wrong)"
