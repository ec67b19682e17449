"""Snapshots that another process writes to a folder, as a stream."""

import io
import os
import pickle
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from ._pytorch import Row, SnapshotReader, Watch, _watching

ENDINGS = (".pickle", ".pkl")


class _PlainUnpickler(pickle.Unpickler):
    """Builds dicts, lists, tuples, texts and numbers, and nothing that would run code."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError("the pickle asks for %s.%s, which no snapshot needs" % (module, name))

    def persistent_load(self, pid: Any) -> Any:
        raise pickle.UnpicklingError("the pickle refers to something outside of it")


def read_dump(path: str) -> Dict[str, Any]:
    """A snapshot as ``torch.cuda.memory._dump_snapshot`` writes it. Nothing in it is ever run.

    Errors: OSError; pickle.UnpicklingError for what is no snapshot, or is not whole yet.
    """
    with open(path, "rb") as file:
        content = file.read()
    try:
        snapshot = _PlainUnpickler(io.BytesIO(content)).load()
    except pickle.UnpicklingError:
        raise
    except Exception as problem:  # a pickle that breaks off fails in many ways
        raise pickle.UnpicklingError("%s: %s" % (type(problem).__name__, problem)) from problem
    if not isinstance(snapshot, dict) or not ("segments" in snapshot or "device_traces" in snapshot):
        raise pickle.UnpicklingError("this is no snapshot of PyTorch's memory")
    return snapshot


def follow_dumps(
    folder: str,
    interval: float = 1.0,
    *,
    address: Optional[str] = None,
    producer: Optional[str] = None,
    say: Optional[Callable[[str], None]] = None
) -> Watch:
    """Sends what is new in each snapshot (``*.pickle``, ``*.pkl``) that appears or changes in ``folder``, in the order
    in which they were written; returns at once. A dump that is not whole yet is read again when it has changed."""
    seen: Dict[str, Tuple[int, int]] = {}

    def look(reader: SnapshotReader) -> Iterator[Row]:
        for path, stamp in _dumps_in(folder):
            if seen.get(path) == stamp:
                continue
            seen[path] = stamp
            try:
                snapshot = read_dump(path)
            except pickle.UnpicklingError as problem:
                raise ValueError("%s is left out: %s" % (path, problem)) from problem
            yield from reader.rows(snapshot)

    return _watching(look, interval, address, producer or os.path.basename(os.path.abspath(folder)), say)


def _dumps_in(folder: str) -> List[Tuple[str, Tuple[int, int]]]:
    """The dumps with what tells whether they have changed, the oldest first."""
    dumps = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(ENDINGS) and entry.is_file():
                status = entry.stat()
                dumps.append((entry.path, (status.st_mtime_ns, status.st_size)))
    return sorted(dumps, key=lambda dump: (dump[1][0], dump[0]))
