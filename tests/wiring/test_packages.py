"""Types of job that installed packages bring."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.packages import installed
from tests.recorder import Recorder
from windlass import State, Windlass
from windlass.core.errors import UnknownType
from windlass.observe.events import ExecutorBroken
from windlass.wiring.loading import load_app
from windlass.wiring.packages import Packages

ACME = """
from windlass import Context


def shout(text: str) -> str:
    '''Make it loud.'''
    return text.upper()


class Whisper:
    type = "whisper"
    queue = "quiet"

    async def execute(self, payload: dict[str, str], ctx: Context) -> str:
        '''Make it soft.'''
        return payload["text"].lower()


whisperer = Whisper()
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of installed packages; what is imported from it is forgotten afterwards."""
    monkeypatch.syspath_prepend(tmp_path)
    known = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - known:
        del sys.modules[name]


def equipped(url: str = "sqlite://:memory:") -> Windlass:
    """An app with what comes along."""
    return Windlass(url, builtins=True)


async def test_a_package_brings_a_function_an_object_or_a_class(
    folder: Path, store_url: str
) -> None:
    entries = "shout = acme:shout\nwhisper = acme:whisperer"
    installed(folder, "acme-jobs", entries, {"acme": ACME})

    async with equipped(store_url) as app, app.worker():
        loud = await app.enqueue(await app.draft("shout", {"text": "Ahoy"}))
        soft = await app.enqueue(await app.draft("whisper", {"text": "Ahoy"}))
        results = [await app.wait(job.id) for job in (loud, soft)]
        published = {record.type: record for record in await app.types()}

    assert [(job.state, job.result) for job in results] == [
        (State.COMPLETED, "AHOY"),
        (State.COMPLETED, "ahoy"),
    ]
    assert results[1].queue == "quiet"
    assert published["shout"].description == "Make it loud."
    assert published["shout"].workers == 1


def test_a_class_is_made_into_an_object(folder: Path) -> None:
    installed(folder, "acme-jobs", "whisper = acme:Whisper", {"acme": ACME})

    assert equipped().registry.get("whisper").origin == "acme:Whisper.execute"


def test_nothing_is_imported_before_it_is_asked_for(folder: Path) -> None:
    installed(folder, "acme-jobs", "shout = acme:shout", {"acme": ACME})
    installed(folder, "other-jobs", "other = other_jobs:other", {"other_jobs": "def other(): ..."})

    app = equipped()
    app.job_of("add_numbers", {"x": 1, "y": 2})
    assert "acme" not in sys.modules
    app.job_of("shout", {"text": "x"})

    assert "acme" in sys.modules
    assert "other_jobs" not in sys.modules


def test_who_has_only_jobs_of_their_own_is_brought_nothing(folder: Path) -> None:
    installed(folder, "acme-jobs", "shout = acme:shout", {"acme": ACME})

    with pytest.raises(UnknownType):
        Windlass("sqlite://:memory:").job_of("shout", {"text": "x"})
    assert "acme" not in sys.modules


def test_a_type_of_the_users_own_wins(folder: Path) -> None:
    installed(folder, "acme-jobs", "shout = acme:shout", {"acme": ACME})
    app = equipped()
    app.registry.types()

    @app.job
    async def shout(words: int) -> int:
        return words

    assert app.registry.get("shout").origin.startswith(__name__)
    assert app.registry.types().count("shout") == 1


BROKEN = {
    "import not_installed_anywhere": "ModuleNotFoundError: No module named",
    "this is no Python": "SyntaxError",
    "raise RuntimeError('out of\\n order')": "RuntimeError: out of order",
    "raise SystemExit(3)": "SystemExit: 3",
    "": "AttributeError",
    "shout = 3": "int is no executor",
    "def shout(text): yield text": "a handler returns its result",
    "class shout:\n    type = 'scream'\n    def execute(self, payload): ...": "of type 'scream'",
    "class shout:\n    def __init__(self, volume): ...": "TypeError",
    "raise ValueError('x' * 100_000)": "ValueError: xxx",
    "raise OSError('postgresql://ada:s3cret@db is away')": "OSError: postgresql://ada:",
}


@pytest.mark.parametrize(("source", "why"), BROKEN.items())
async def test_a_package_that_is_broken_is_told_in_words_and_harms_nobody(
    folder: Path, sqlite_url: str, source: str, why: str
) -> None:
    installed(folder, "bad-jobs", "shout = bad_jobs:shout", {"bad_jobs": source}, version="2.1")
    installed(folder, "acme-jobs", "whisper = acme:Whisper", {"acme": ACME})
    app = equipped(sqlite_url)
    app.storehouse.observer = recorder = Recorder()

    async with app, app.worker():
        good = await app.enqueue(await app.draft("whisper", {"text": "Ahoy"}))
        done = await app.wait(good.id)
        with pytest.raises(UnknownType, match="no job type 'shout'"):
            await app.draft("shout", {"text": "x"})

    [flaw] = recorder.of(ExecutorBroken)
    assert done.result == "ahoy"
    assert "shout" not in app.registry.types()
    assert (flaw.type, flaw.package) == ("shout", "bad-jobs 2.1")
    assert why in flaw.why
    assert len(flaw.why) <= 500
    assert "s3cret" not in flaw.why


@pytest.mark.parametrize("name", ["email", "windlass.bulk", "windlass.other"])
def test_no_package_replaces_what_is_windlasss_own(folder: Path, name: str) -> None:
    installed(folder, "bad-jobs", f"{name} = acme:shout", {"acme": ACME})
    app = equipped()

    [flaw] = app.registry.flaws

    assert (flaw.type, "Windlass's own" in flaw.why) == (name, True)
    assert all(app.registry.get(type_).origin != "acme:shout" for type_ in app.registry.types())


def test_of_two_packages_with_the_same_type_one_is_told_of(folder: Path) -> None:
    installed(folder, "acme-jobs", "shout = acme:shout", {"acme": ACME})
    installed(folder, "bad-jobs", "shout = acme:Whisper", {})
    app = equipped()

    [flaw] = app.registry.flaws

    assert app.registry.find("shout") is not None
    assert "brings this type already" in flaw.why


def test_a_package_whose_files_are_broken_harms_nobody(folder: Path) -> None:
    installed(folder, "acme-jobs", "shout = acme:shout", {"acme": ACME})
    installed(folder, "bad-jobs", "this line says nothing", {})
    installed(folder, "worse-jobs", "other = acme:shout", {})
    (folder / "worse_jobs-1.0.dist-info" / "METADATA").unlink()
    app = equipped()

    flaws = app.registry.flaws

    assert {"shout", "other"} <= set(app.registry.types())
    assert [flaw.package for flaw in flaws if flaw.type is None] in ([], ["bad-jobs 1.0"])


def test_a_package_that_is_twice_on_the_path_is_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(folder, "acme-jobs", "shout = acme:shout", {"acme": ACME})
    again = folder / "again"
    again.mkdir()
    installed(again, "acme-jobs", "shout = acme:shout", {"acme": ACME})
    monkeypatch.syspath_prepend(again)

    app = equipped()

    assert "shout" in app.registry.types()
    assert app.registry.flaws == []


def test_the_package_of_each_type_is_known(folder: Path) -> None:
    installed(folder, "acme-jobs", "shout = acme:shout\nmissing = acme:missing", {"acme": ACME})

    packages = equipped().packages

    assert isinstance(packages, Packages)
    assert packages.origins() == {"shout": "acme-jobs 1.0"}


def test_the_app_of_workers_without_one_knows_them(folder: Path) -> None:
    installed(folder, "acme-jobs", "loud = acme:shout", {"acme": ACME})
    sys.modules.pop("windlass.wiring.basic", None)

    assert "loud" in load_app("windlass.wiring.basic:app").registry.types()
