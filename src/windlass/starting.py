"""How programs of ours start: `python -m windlass.starting MODULE ARGUMENT...` runs its `main`.

What a start reads are some hundred thousand objects, and garbage is none of them. Python looks for
it all the same, again and again, and once more at the end: a third of the time of a start.
"""

from __future__ import annotations

import gc
import sys
from importlib import import_module
from types import ModuleType


def program(module: str, *arguments: str) -> list[str]:
    """The command that starts this module as a program."""
    return [sys.executable, "-m", "windlass.starting", module, *arguments]


def read(module: str) -> ModuleType:
    """Import a module without looking for garbage, and never look at what is there by now."""
    wanted = gc.isenabled()
    gc.disable()
    try:
        return import_module(module)
    finally:
        gc.freeze()
        if wanted:
            gc.enable()


def main() -> None:
    """Be the program that is named."""
    _, module, *arguments = sys.argv
    sys.argv = [module, *arguments]
    read(module).main()


if __name__ == "__main__":
    main()
