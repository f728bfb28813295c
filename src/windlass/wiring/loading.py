"""Finds an app by its name, as in `shop.jobs:app`."""

from __future__ import annotations

import sys
from functools import reduce
from importlib import import_module
from pathlib import Path
from types import ModuleType

from windlass.core.errors import BadInput
from windlass.wiring.windlass import Windlass


def load_app(name: str) -> Windlass:
    """Import the module, also from the folder one is in, and return the app it holds."""
    module, colon, attributes = name.partition(":")
    if not (module and colon and attributes):
        raise BadInput(f"{name!r} names no app; write it as module:name, as in shop.jobs:app")
    app: object = _import(module, name)
    try:
        app = reduce(getattr, attributes.split("."), app)
    except AttributeError as problem:
        raise BadInput(f"no app {name!r}: {problem}") from problem
    if not isinstance(app, Windlass):
        raise BadInput(f"{name!r} is a {type(app).__name__}, not a Windlass")
    return app


def _import(module: str, name: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return import_module(module)
    except ModuleNotFoundError as problem:
        if problem.name is None or not f"{module}.".startswith(f"{problem.name}."):
            raise  # the module is there, and something it imports is not
        raise BadInput(
            f"no app {name!r}: there is no module {problem.name!r} in {here} or among the installed"
        ) from problem
