"""What a check found, in words."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from windlass.core.secrets import without_secrets


class Verdict(StrEnum):
    """How bad it is."""

    OK = "ok"
    WARNING = "warning"  # works, but may not for long, or not well
    PROBLEM = "problem"  # does not work, or may lose jobs


class Finding(Struct, frozen=True):
    """One check, what it found, and what to do about it; made by the verdicts below."""

    check: str
    verdict: Verdict
    said: str
    advice: str | None = None


def ok(check: str, said: str) -> Finding:
    """All is well."""
    return Finding(check, Verdict.OK, without_secrets(said))


def warning(check: str, said: str, advice: str) -> Finding:
    """It works, and yet something should be done."""
    return Finding(check, Verdict.WARNING, without_secrets(said), advice)


def problem(check: str, said: str, advice: str) -> Finding:
    """Something must be done."""
    return Finding(check, Verdict.PROBLEM, without_secrets(said), advice)
