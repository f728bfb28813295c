"""Everything the OpenAPI document promises, tried by a machine that reads it."""

import asyncio
import sys
from datetime import timedelta
from pathlib import Path

import aiohttp
import msgspec
import pytest
from msgspec.structs import replace

from tests.http.conftest import serving
from windlass import Windlass
from windlass.http.access import Scope
from windlass.http.secret import Secret
from windlass.http.tokens import Mint
from windlass.sink.server import MailSink
from windlass.wiring.opening import opened

SECRET = "not-a-secret-but-long-enough-for-one"  # noqa: S105 - for this test only
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "unsupported_method",
    "use_after_free",
)
# What is at the edges of every shape is the same whatever store is behind it.
ON_ONE_STORE = "examples,coverage"
ON_EACH = "fuzzing,stateful"


@pytest.mark.timeout(400)
@pytest.mark.parametrize(
    ("store_url", "phases"),
    [("sqlite", ON_ONE_STORE), ("sqlite", ON_EACH), ("postgres", ON_EACH)],
    indirect=["store_url"],
)
async def test_no_answer_is_undocumented_and_nothing_breaks(
    store_url: str, phases: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    app = Windlass(store_url, builtins=True)
    house = app.storehouse
    token = Mint(Secret(SECRET), house.clock, house.chance).make(
        "examiner", frozenset({Scope.ADMIN}), timedelta(hours=1)
    )
    settings = replace(app.settings, secret=SECRET)
    sink = MailSink(house.clock)  # with its routes

    async with (
        opened(app, settings, house.observer, sink) as (api, _),
        serving(api) as url,
        app.worker(),
    ):
        headers = {"Authorization": f"Bearer {token.token}"}
        document = await known_types_only(url, headers, tmp_path / "openapi.json")
        code, told = await examined(url, document, headers["Authorization"], phases)

    assert code == 0, told


async def known_types_only(url: str, headers: dict[str, str], file: Path) -> Path:
    """The document, with types of job that are there: of others there is only one answer."""
    async with (
        aiohttp.ClientSession(headers=headers) as client,
        client.get(f"{url}/openapi.json") as answer,
    ):
        document = await answer.json()
    submission = document["components"]["schemas"]["Submission"]["properties"]
    submission["type"] = {"enum": ["add_numbers", "reverse_string"]}
    file.write_bytes(msgspec.json.encode(document))
    return file


async def examined(url: str, document: Path, authorization: str, phases: str) -> tuple[int, str]:
    """What schemathesis makes of it: its exit code, and its words."""
    examiner = await asyncio.create_subprocess_exec(
        *(Path(sys.executable).with_name("schemathesis"), "run", document, "--url", url),
        *("--header", f"Authorization: {authorization}"),
        *("--phases", phases, "--checks", ",".join(CHECKS), "--max-examples", "5"),
        # A stream has no end to wait for, and whoever logs out cannot go on.
        *("--exclude-path", "/events", "--exclude-path", "/auth/logout"),
        *("--continue-on-failure", "--no-color", "--generation-deterministic"),
        # On a busy machine everything is slow.
        *("--suppress-health-check", "too_slow"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    told, _ = await examiner.communicate()
    return examiner.returncode or 0, told.decode()
