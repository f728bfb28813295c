"""A unit of systemd, read more strictly than by systemd, which goes on without a wrong line."""

import re
from collections.abc import Iterator
from pathlib import Path

DIRECTIVES = Path(__file__).with_name("directives.txt")
TIME = r"\d+(us|ms|s|min|h|d)?|infinity"
# How values of a kind are written. Of another kind only the name is checked.
WRITTEN = {
    "ARCHS": "native",
    "BOOLEAN": "yes|no|true|false|on|off|1|0",
    "BOUNDINGSET": r"|~?CAP_[A-Z_]+( CAP_[A-Z_]+)*",
    "FAMILIES": r"none|~?AF_[A-Z0-9]+( AF_[A-Z0-9]+)*",
    "FILE": r"-?/\S+",
    "KILLMODE": "control-group|mixed|process|none",
    "LIMIT": r"(\d+[KMGT]?|infinity)(:(\d+[KMGT]?|infinity))?",
    "MODE": "0?[0-7]{3}",
    "NAMESPACES": "yes|no|~?[a-z]+( [a-z]+)*",
    "PATH [ARGUMENT [...]]": r"[-@:+!]?/\S+( .+)?",
    "SECONDS": TIME,
    "SERVICERESTART": "no|on-success|on-failure|on-abnormal|on-watchdog|on-abort|always",
    "SERVICETYPE": "simple|exec|forking|oneshot|dbus|notify|idle",
    "STATUS": r"(\d{1,3}|SIG[A-Z]+)( (\d{1,3}|SIG[A-Z]+))*",
    "SYSCALLS": r"~?@?[a-z0-9_-]+( @?[a-z0-9_-]+)*",
    "UNIT [...]": r"[\w@-]+\.(service|socket|target)( [\w@-]+\.(service|socket|target))*",
}
# The same for names whose kind systemd does not tell.
NAMED = {
    "ProtectHome": "yes|no|read-only|tmpfs",
    "ProtectSystem": "yes|no|full|strict",
    "StateDirectory": r"[\w-]+",
    "TimeoutStopSec": TIME,
    "User": r"[a-z_][a-z0-9_-]*",
    "WantedBy": r"[\w-]+\.target",
    "WorkingDirectory": r"(/|%[CELSt])\S*",
}


def mistakes(name: str, text: str) -> list[str]:
    """The lines that systemd would not take as they are meant, in a unit of this name."""
    known = kinds()
    return [
        f"{section} {line}"
        for section, line in lines(text)
        if not is_right(section, line, known) or not is_told(line, name)
    ]


def kinds() -> dict[tuple[str, str], str]:
    """What kind of value there is in a section under a name."""
    found: dict[tuple[str, str], str] = {}
    section = kind = ""
    for line in DIRECTIVES.read_text().splitlines():
        if line.startswith("["):
            section, kind = line.split(" ", 1)
        elif line.startswith(" "):
            found |= {(section, name): kind for name in line.split()}
    return found


def lines(text: str) -> Iterator[tuple[str, str]]:
    """Each line that says something, and its section."""
    section = ""
    for line in text.splitlines():
        if line.startswith("["):
            section = line
        elif line and not line.startswith("#"):
            yield section, line


def is_right(section: str, line: str, known: dict[tuple[str, str], str]) -> bool:
    """Whether there is such a name in this section, and such a value under it."""
    name, found, value = line.partition("=")
    if not found or (section, name) not in known:
        return False
    written = NAMED.get(name) or WRITTEN.get(known[section, name], ".+")
    return bool(re.fullmatch(written, value))


def is_told(line: str, unit: str) -> bool:
    """Whether there is something for `%i` to stand for: only where a name comes after the @."""
    return "%i" not in line or "@" in unit
