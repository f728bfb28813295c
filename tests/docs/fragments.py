"""Runs fragments of Python, as they come by lines of JSON, among the names that a page has made.

Modules in this folder that make an app are imported as soon as they are there, and a worker of each
app runs beside the fragments. A line answers each fragment: what went wrong, or nothing.
"""

import ast
import asyncio
import importlib
import inspect
import json
import re
import sys
import traceback
from contextlib import AsyncExitStack
from pathlib import Path
from types import CodeType
from typing import Any

from windlass import Windlass

MAKES_APP = re.compile(r"^app\b.*= ", re.MULTILINE)


async def main() -> None:
    """Answer until nobody asks any more."""
    sys.path.insert(0, str(Path.cwd()))
    out, sys.stdout = sys.stdout, sys.stderr  # what fragments print is for people
    names: dict[str, Any] = {"__name__": "page"}
    async with AsyncExitStack() as open_:
        while line := await asyncio.to_thread(sys.stdin.readline):
            await enter(names, open_)
            print(json.dumps(await run(json.loads(line), names)), file=out, flush=True)


async def enter(names: dict[str, Any], open_: AsyncExitStack) -> None:
    """Know the modules that are new here."""
    importlib.invalidate_caches()
    for file in sorted(Path.cwd().glob("*.py")):
        if file.stem in sys.modules or not MAKES_APP.search(file.read_text("utf-8")):
            continue
        module = importlib.import_module(file.stem)
        names |= {name: value for name, value in vars(module).items() if name[:2] != "__"}
        if isinstance(app := vars(module).get("app"), Windlass):
            await open_.enter_async_context(app)
            await open_.enter_async_context(app.worker())


async def run(code: str, names: dict[str, Any]) -> str:
    """Run a fragment, and tell what went wrong."""
    try:
        made: CodeType = compile(code, "page", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        ran = eval(made, names)  # noqa: S307 - our own pages
        if inspect.isawaitable(ran):
            await ran
    except BaseException:  # noqa: BLE001 - whatever it is, it is told
        return traceback.format_exc()
    return ""


asyncio.run(main())
