"""The page of the library: what can be imported, with its signatures and its own words."""

import inspect
from collections import ChainMap
from collections.abc import Callable, Iterator
from inspect import Parameter, Signature
from pathlib import Path
from typing import Any

from tests.docs.reference.table import table
from windlass import Backoff, Cancel, Context, Discard, Job, JobType, Retry, Snooze, Windlass
from windlass.app.blocking import Blocking
from windlass.app.options import Options
from windlass.app.which import Which
from windlass.core import errors
from windlass.core.explain import Explanation
from windlass.executors.handlers import Declaration

INTRO = Path(__file__).with_suffix(".md").read_text("utf-8") + "\n"
BLOCKING = """\
## app.blocking

The same verbs for code without an event loop; each waits for its answer. On a thread that runs a
loop they refuse.

"""
ERRORS = "## Errors\n\nImport them from `windlass.errors`.\n"
# What other parts of Windlass ask an app for, and nobody else.
INNER = {"effects", "given", "home"}
VERDICTS = (Retry, Snooze, Discard, Cancel)


def page() -> str:
    """All of it."""
    return INTRO + "\n".join(
        [
            _class("Windlass", Windlass, "app"),
            f"{BLOCKING}{', '.join(f'`{name}`' for name in _names(Blocking))}.\n",
            _class("JobType", JobType, "welcome"),
            _options("Options of a type", "`@app.job(…)`, `app.register(…, …)`", Declaration),
            _options("Options of a job", "`welcome.options(…)`, `app.job_of(…, …)`", Options),
            _options("Which jobs", "`app.jobs(…)`, `app.page(…)`", Which),
            _class("Context", Context, "ctx"),
            "## How a handler ends\n",
            *(_verdict(one) for one in VERDICTS),
            _values("Backoff", Backoff),
            _values("Job", Job),
            _values("Explanation", Explanation),
            f"{ERRORS}\n```text\n{inspect.getdoc(errors)}\n```\n",
        ]
    )


def _class(name: str, class_: type, called: str) -> str:
    members = [_member(one, getattr(class_, one), called) for one in _names(class_)]
    made = _signature(class_) if class_ is Windlass else ""
    shown = f"```py\napp = Windlass{made}\n```\n" if made else ""
    return "\n".join([f"## {name}\n", f"{inspect.getdoc(class_)}\n", shown, *members])


def _names(class_: type) -> Iterator[str]:
    """What is public, in the order in which it is written; what is inherited comes after."""
    seen = {name: None for base in class_.__mro__[:-1] for name in vars(base)}
    own = (name for name in seen if name[0] != "_" and name not in INNER)
    yield from (name for name in own if inspect.getdoc(getattr(class_, name, None)))


def _member(name: str, member: Any, called: str) -> str:
    told = inspect.getdoc(member)
    if not callable(member):
        return f"### {called}.{name}\n\n{told}\n"
    shown = f"{_before(member)}{called}.{name}{_signature(member)}"
    return f"### {called}.{name}\n\n```py\n{shown}\n```\n\n{told}\n"


def _before(member: Any) -> str:
    """What stands before a call of it."""
    written = inspect.unwrap(member)
    if inspect.isasyncgenfunction(written):
        return "async with "
    return "await " if inspect.iscoroutinefunction(written) else ""


class Bare(str):
    """A text that is shown without quotes."""

    __slots__ = ()
    __repr__ = str.__str__


def _signature(member: Callable[..., Any]) -> str:
    """How it is called, as it was written."""
    signature = inspect.signature(member)
    asked = [_asked(one) for one in signature.parameters.values() if one.name != "self"]
    told = inspect.isroutine(member) and not inspect.isasyncgenfunction(inspect.unwrap(member))
    given = signature.return_annotation if told else Signature.empty
    given = given if given is Signature.empty else Bare(given)
    return str(Signature(asked, return_annotation=given))


def _asked(one: Parameter) -> Parameter:
    default = Bare("…") if type(one.default) is object else one.default
    return one.replace(annotation=Bare(one.annotation), default=default)


def _options(title: str, where: str, options: type) -> str:
    rows = ((f"`{name}`", f"`{_type(hint)}`") for name, hint in options.__annotations__.items())
    return f"## {title}\n\n{where}: {inspect.getdoc(options)}\n\n{table(('option', 'type'), rows)}"


def _verdict(class_: type[Exception]) -> str:
    return f"### raise {class_.__name__}\n\n{inspect.getdoc(class_)}\n"


def _values(name: str, class_: Any) -> str:
    hints = ChainMap(*(inspect.get_annotations(one) for one in class_.__mro__))
    rows = ((f"`{name}`", f"`{_type(hints[name])}`") for name in class_.__struct_fields__)
    return f"## {name}\n\n{inspect.getdoc(class_)}\n\n{table(('field', 'type'), rows)}"


def _type(hint: Any) -> str:
    """A type as it was written."""
    return str(getattr(hint, "__forward_arg__", hint))
