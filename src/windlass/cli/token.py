"""`windlass token`: make a token for a program that asks the API."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer

from windlass.cli import wire
from windlass.cli.arguments import span
from windlass.cli.desk import Desk
from windlass.core.errors import BadInput

SCOPES = ("jobs:read", "jobs:write", "admin")
DEFAULT_SCOPES = ("jobs:read", "jobs:write")
DEFAULT_LIFE = timedelta(days=30)

Scopes = Annotated[
    list[str] | None,
    typer.Option(
        "--scope",
        metavar="SCOPE",
        help="What it may do: jobs:read, jobs:write or admin; say it once for each."
        " If not given: jobs:read and jobs:write.",
        show_default=False,
        autocompletion=lambda: SCOPES,
    ),
]
For = Annotated[
    str,
    typer.Option(
        "--for", metavar="NAME", help="Who will use it; the log of requests names them so."
    ),
]
Expires = Annotated[
    timedelta | None,
    typer.Option(parser=span, metavar="TIME", help="How long it is good; if not given: 30d."),
]


def token(
    desk: Desk, *, scope: Scopes = None, subject: For = "cli", expires: Expires = None
) -> None:
    """Make a token for a program that asks the API.

    It is signed with WINDLASS_SECRET, or with the secret in .windlass/secret if none is set. Only
    the token goes to stdout; nothing keeps it.

    Example: windlass token --scope jobs:read --for grafana --expires 30d
    """
    # Imported late, as all that --help can do without.
    from windlass.http.people import known  # noqa: PLC0415
    from windlass.http.tokens import Mint  # noqa: PLC0415
    from windlass.wiring.guarding import secret_of  # noqa: PLC0415

    house = desk.app.storehouse
    if desk.settings.jwks is not None and desk.settings.secret is None:
        raise BadInput("WINDLASS_JWKS says who issues tokens; set WINDLASS_SECRET to make some too")
    granted = known(scope or DEFAULT_SCOPES)
    mint = Mint(secret_of(house, Path.cwd()), house.clock, house.chance)
    made = mint.make(subject, granted, DEFAULT_LIFE if expires is None else expires)
    told = {"access_token": made.token, "jti": made.id, "expires_in": made.expires_in}
    # Not as a table would be: a terminal must not wrap it.
    typer.echo(wire.text(told) if desk.json else made.token)
