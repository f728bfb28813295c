"""Packages as an installer leaves them, in a folder that can be put on the path."""

from collections.abc import Mapping
from pathlib import Path


def installed(
    folder: Path, name: str, entries: str, modules: Mapping[str, str], version: str = "1.0"
) -> None:
    """A package with these lines of `windlass.executors`, and these modules."""
    about = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (about / "entry_points.txt").write_text(f"[windlass.executors]\n{entries}\n")
    for module, source in modules.items():
        (folder / f"{module}.py").write_text(source)
