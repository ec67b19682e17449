"""Where Strata listens, and how to get there."""

import os
import socket
import sys
import tempfile

VARIABLE = "STRATA_ALLOCATIONS"


def usual_address() -> str:
    """The address that a Strata of this user takes when it is told no other.

    ``STRATA_ALLOCATIONS`` names another one: ``unix:PATH`` or ``tcp:HOST:PORT:TOKEN``.
    Errors: OSError where no Strata ever listened on Windows.
    """
    named = os.environ.get(VARIABLE)
    if named:
        return named
    if sys.platform == "win32":
        folder = os.environ.get("LOCALAPPDATA", tempfile.gettempdir())
        with open(os.path.join(folder, "Strata", "allocations.txt"), encoding="ascii") as file:
            return file.read().strip()
    return "unix:" + os.path.join(_runtime_folder(), "allocations.sock")


def _runtime_folder() -> str:
    named = os.environ.get("STRATA_RUNTIME_DIR")
    if named:
        return named
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime:
        return os.path.join(runtime, "strata")
    return os.path.join(tempfile.gettempdir(), "strata-%d" % os.getuid())


def token_of(address: str) -> str:
    """What the hello must hold; empty for a Unix socket, which other users cannot open."""
    return address.split(":", 3)[3] if address.startswith("tcp:") and address.count(":") >= 3 else ""


def connect(address: str, timeout: float) -> socket.socket:
    """A connected socket. Errors: OSError; ValueError for what is no address."""
    kind, _, place = address.partition(":")
    if kind == "unix" and place:
        return _connect(socket.AF_UNIX, place, timeout)
    parts = place.split(":", 2)
    if kind == "tcp" and len(parts) == 3 and parts[1].isdigit():
        return _connect(socket.AF_INET, (parts[0], int(parts[1])), timeout)
    raise ValueError("%r is no address: unix:PATH or tcp:127.0.0.1:PORT:TOKEN" % address)


def _connect(family: int, place, timeout: float) -> socket.socket:
    connection = socket.socket(family, socket.SOCK_STREAM)
    try:
        connection.settimeout(timeout)
        connection.connect(place)
    except OSError:
        connection.close()
        raise
    return connection
