"""A worker process without a worker: it says what the test had it say, and ends when told.

Run as `python puppet.py FOLDER CONTROL LEASE`. It leaves one file per order in FOLDER.
"""

import json
import os
import socket
import sys
from pathlib import Path

from windlass.config import Settings

folder, control = Path(sys.argv[1]), socket.socket(fileno=int(sys.argv[2]))
settings = {"store": Settings().store, "sources": {}}


def say(**message: object) -> None:
    """Send one line to the supervisor."""
    control.sendall(json.dumps(message).encode() + b"\n")


say(type="Hello", settings=settings)
for number, line in enumerate(control.makefile("rb")):
    order = json.loads(line)
    (folder / f"{os.getpid()}-{number}.json").write_text(json.dumps(order))
    if order["type"] == "Assignment":
        say(type="Started", kind={"name": "puppets"})
        say(type="Room", free=True)
    if order["type"] == "Retire":
        say(type="Retired")
    if order["type"] in ("Stop", "Retire"):
        sys.exit(0)
