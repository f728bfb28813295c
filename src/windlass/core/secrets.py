"""What must not be told."""

from __future__ import annotations

import re

# Up to the last @ of the word: a password that should have been quoted may have one of its own.
# How far is bounded: text made of beginnings would cost its length for each of them.
PASSWORD = re.compile(r"(://[^:/@\s]{0,200}:)\S{0,1000}@|(\bpassword=)[^&\s]*")
# By their shape, wherever they turn up: signed tokens, secrets of webhooks, private keys, and what
# somebody showed in a header.
TOKEN = re.compile(
    r"\b(eyJ)[\w-]{8,1000}\.[\w-]+\.[\w-]*"
    r"|\b(whsec_)[\w+/=-]+"
    r"|(-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----)[^-]*"
    r"|\b((?i:authorization|cookie)['\"]?: ?[b'\"]{0,2}(?:(?i:bearer|basic) )?)[^\s'\"]+"
)


def without_password(text: str) -> str:
    """The text with the passwords of its URLs hidden."""
    return PASSWORD.sub(lambda match: f"{match[1]}***@" if match[1] else f"{match[2]}***", text)


def without_secrets(text: str) -> str:
    """The text with passwords, tokens and keys hidden."""
    return TOKEN.sub(lambda match: f"{match[match.lastindex or 0]}***", without_password(text))
