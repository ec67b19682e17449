"""Streams the events of an allocator to Strata while the program runs.

Standard library only, Python 3.8 or newer. ``Client`` is for any program, ``watch_pytorch`` for PyTorch, and
``follow_dumps`` for snapshots that another process writes. The protocol: main/engine/allocations/PROTOCOL.md.
"""

from ._client import Client
from ._dumps import follow_dumps, read_dump
from ._endpoint import usual_address
from ._pytorch import SnapshotReader, Watch, watch_pytorch

__all__ = [
    "Client",
    "SnapshotReader",
    "Watch",
    "follow_dumps",
    "read_dump",
    "usual_address",
    "watch_pytorch",
]
__version__ = "1.0"
