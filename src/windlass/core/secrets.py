"""What must not be told."""

from __future__ import annotations

import re

# Up to the last @ of the word: a password that should have been quoted may have one of its own.
PASSWORD = re.compile(r"(://[^:/@\s]*:)\S*@|(\bpassword=)[^&\s]*")


def without_password(text: str) -> str:
    """The text with the passwords of its URLs hidden."""
    return PASSWORD.sub(lambda match: f"{match[1]}***@" if match[1] else f"{match[2]}***", text)
