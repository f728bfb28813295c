"""What must not be told."""

from __future__ import annotations

import re

PASSWORD = re.compile(r"(://[^:/@\s]*:)[^@\s]+@")


def without_password(text: str) -> str:
    """The text with the passwords of its URLs hidden."""
    return PASSWORD.sub(r"\1***@", text)
