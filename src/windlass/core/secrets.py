"""What must not be told."""

from __future__ import annotations

import re

# Up to the last @ of the word: a password that should have been quoted may have one of its own.
PASSWORD = re.compile(r"(://[^:/@\s]*:)\S*@|(\bpassword=)[^&\s]*")
# By their shape, wherever they turn up: signed tokens, secrets of webhooks, private keys.
TOKEN = re.compile(
    r"\b(eyJ)[\w-]{8,}\.[\w-]+\.[\w-]*"
    r"|\b(whsec_)[\w+/=-]+"
    r"|(-----BEGIN [A-Z ]*PRIVATE KEY-----)[^-]*"
)


def without_password(text: str) -> str:
    """The text with the passwords of its URLs hidden."""
    return PASSWORD.sub(lambda match: f"{match[1]}***@" if match[1] else f"{match[2]}***", text)


def without_secrets(text: str) -> str:
    """The text with passwords, tokens and keys hidden."""
    return TOKEN.sub(lambda match: f"{match[1] or match[2] or match[3]}***", without_password(text))
