"""PyTorch's memory snapshots as a stream of rows: what is new since the last look."""

import sys
import threading
import time
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

from ._client import Client
from ._ranges import Ranges

Row = Tuple[str, int, Dict[str, object]]  # action, time_ns (-1: unknown), values

SMALLEST_BLOCK = 512
SMALL_SEGMENT = 2 << 20
TAIL = 64
MOST_FRAMES = 64
WHY_GAP = "the ring of the recording turned over between two looks"


class SnapshotReader:
    """Turns snapshots (what ``torch.cuda.memory._snapshot()`` returns) into rows, each event once.

    PyTorch keeps its events in a ring for each device. The events after the last known ones are new; when none of
    the known ones is left the ring has turned over, which becomes a gap, and what changed unseen is put right from
    the state that the snapshot holds. Before the first event stands what was there before the recording, found by
    undoing every event from that state.
    """

    def __init__(self) -> None:
        self._devices: Dict[int, _Device] = {}

    def rows(self, snapshot: Dict[str, Any], counters: Optional[Dict[int, Dict[str, int]]] = None) -> Iterator[Row]:
        """What is new. ``counters``: of each device, how many events of each action there were since the start of the
        program, where that is known; with them the length of a gap is."""
        traces = snapshot.get("device_traces") or []
        segments = snapshot.get("segments") or []
        ordinals = {number for number, events in enumerate(traces) if events}
        ordinals.update(int(segment.get("device", 0)) for segment in segments)
        for ordinal in sorted(ordinals):
            device = self._devices.setdefault(ordinal, _Device(ordinal))
            events = traces[ordinal] if ordinal < len(traces) else []
            own = [segment for segment in segments if int(segment.get("device", 0)) == ordinal]
            yield from device.rows(events, _State.of(own), (counters or {}).get(ordinal))


class _Device:
    def __init__(self, ordinal: int) -> None:
        self._name = "cuda:%d" % ordinal
        self._tail: List[tuple] = []
        self._told = _State()
        self._is_first = True
        self._counters: Optional[Dict[str, int]] = None

    def rows(self, events: Sequence[dict], end: "_State", counters: Optional[Dict[str, int]]) -> Iterator[Row]:
        keys = [_key(event) for event in events]
        start = 0 if self._is_first else _first_new(keys, self._tail)
        if self._is_first:
            before = end.before(events)
            yield from self._held(before)
            self._told = before
        elif start is None:
            start = 0
            yield from self._gap(events, end.before(events), counters)
        for event in events[start:]:
            row = self._row(event, end)
            if row is not None:
                yield row
        self._is_first = False
        self._tail = (self._tail + keys[start:])[-TAIL:]
        self._counters = counters

    def _held(self, state: "_State") -> Iterator[Row]:
        for address, (size, region) in sorted(state.segments.items()):
            yield "segment_held", -1, self._values(address=address, bytes=size, region=region)
        for start, stop in state.mapped:
            yield "segment_held", -1, self._values(address=start, bytes=stop - start, region="virtual")
        for address, (size, requested) in sorted(state.blocks.items()):
            yield "held", -1, self._values(address=address, bytes=size, requested=requested)

    def _gap(self, events: Sequence[dict], now: "_State", counters: Optional[Dict[str, int]]) -> Iterator[Row]:
        lost = _lost(events, self._counters, counters)
        when = _time_ns(events[0]) if events else -1
        yield "gap", when, self._values(dropped=lost, label=WHY_GAP)
        told, self._told = self._told, now
        seen = {"label": "seen behind the gap"}
        for address, block in sorted(told.blocks.items()):
            if now.blocks.get(address) != block:
                yield "free", when, self._values(address=address)
        for address in sorted(set(told.segments) - set(now.segments)):
            yield "segment_free", when, self._values(address=address)
        for start, stop in told.mapped.without(now.mapped):
            yield "segment_free", when, self._values(address=start, bytes=stop - start, region="virtual")
        for address in sorted(set(now.segments) - set(told.segments)):
            size, region = now.segments[address]
            yield "segment_alloc", when, self._values(address=address, bytes=size, region=region)
        for start, stop in now.mapped.without(told.mapped):
            yield "segment_alloc", when, self._values(address=start, bytes=stop - start, region="virtual")
        for address, block in sorted(now.blocks.items()):
            if told.blocks.get(address) != block:
                yield "alloc", when, self._values(address=address, bytes=block[0], requested=block[1], **seen)

    def _row(self, event: dict, end: "_State") -> Optional[Row]:
        action, when = event.get("action"), _time_ns(event)
        address, size = int(event.get("addr", 0)), int(event.get("size", 0))
        self._told.apply(event, end)
        values = self._values(address=address, stream=event.get("stream"))
        if action == "alloc":
            block, requested = self._told.blocks[address]
            values.update(bytes=block, requested=requested, stack=_stack(event))
            return "alloc", when, values
        if action == "free_requested":
            return "free_requested", when, values
        if action == "free_completed":
            return "free", when, values
        if action in ("segment_alloc", "segment_map"):
            values.update(bytes=size, region=_region(str(action), size), stack=_stack(event))
            return "segment_alloc", when, values
        if action in ("segment_free", "segment_unmap"):
            values.update(bytes=size, region=_region(str(action), size))
            return "segment_free", when, values
        if action == "oom":
            told = self._values(bytes=size, device_free=event.get("device_free"), stack=_stack(event))
            return "oom", when, told
        if action == "snapshot":
            return "marker", when, self._values(label="snapshot")
        return None

    def _values(self, **values: object) -> Dict[str, object]:
        values["device"] = self._name
        return values


class _State:
    """What is live on one device."""

    def __init__(self) -> None:
        self.blocks: Dict[int, Tuple[int, int]] = {}  # address -> size, requested
        self.segments: Dict[int, Tuple[int, str]] = {}  # address -> size, region
        self.mapped = Ranges()

    @staticmethod
    def of(segments: Sequence[dict]) -> "_State":
        """As a snapshot states it."""
        state = _State()
        for segment in segments:
            address, size = int(segment["address"]), int(segment["total_size"])
            if segment.get("is_expandable"):
                state.mapped.add(address, address + size)
            else:
                kind = "immediate" if segment.get("segment_type") == "small" else "pooled"
                state.segments[address] = (size, kind)
            for block in segment.get("blocks", ()):
                place = int(block.get("address", address))
                if str(block.get("state", "")).startswith("active"):
                    block_size = int(block["size"])
                    state.blocks[place] = (block_size, int(block.get("requested_size", block_size)))
                address += int(block["size"])
        return state

    def before(self, events: Sequence[dict]) -> "_State":
        """As it was before these events, which led to it."""
        state = _State()
        state.blocks, state.segments = dict(self.blocks), dict(self.segments)
        state.mapped = self.mapped.copy()
        for event in reversed(events):
            state._undo(event)
        return state

    def apply(self, event: dict, end: "_State") -> None:
        action, address, size = event.get("action"), int(event.get("addr", 0)), int(event.get("size", 0))
        if action == "alloc":
            # The event tells what was asked for; what the block takes up shows only while it lives.
            stated = end.blocks.get(address)
            self.blocks[address] = stated if stated and stated[1] == size else (_rounded(size), size)
        elif action == "free_completed":
            self.blocks.pop(address, None)
        elif action == "segment_alloc":
            self.segments[address] = (size, _region(action, size))
        elif action == "segment_free":
            self.segments.pop(address, None)
        elif action == "segment_map":
            self.mapped.add(address, address + size)
        elif action == "segment_unmap":
            self.mapped.remove(address, address + size)

    def _undo(self, event: dict) -> None:
        action, address, size = event.get("action"), int(event.get("addr", 0)), int(event.get("size", 0))
        if action == "alloc":
            self.blocks.pop(address, None)
        elif action == "free_completed":
            self.blocks[address] = (_rounded(size), size)
        elif action == "segment_alloc":
            self.segments.pop(address, None)
        elif action == "segment_free":
            self.segments[address] = (size, _region(action, size))
        elif action == "segment_map":
            self.mapped.remove(address, address + size)
        elif action == "segment_unmap":
            self.mapped.add(address, address + size)


def _first_new(keys: List[tuple], tail: List[tuple]) -> Optional[int]:
    """Where the events begin that come after the known ones; None when none of those is left.

    The longest run of the known ones that still stands together counts, so that equal events do not mislead."""
    if not tail:
        return 0
    last = tail[-1]
    best, longest = None, 0
    for place in range(len(keys) - 1, -1, -1):
        if keys[place] != last:
            continue
        length = 0
        while length < len(tail) and length <= place and keys[place - length] == tail[-1 - length]:
            length += 1
        reaches_start = length > place
        if length == len(tail) or reaches_start:
            return place + 1
        if length > longest:
            best, longest = place + 1, length
    return best if longest > 1 else None


def _lost(
    events: Sequence[dict], before: Optional[Dict[str, int]], now: Optional[Dict[str, int]]
) -> Optional[int]:
    """How many events the ring no longer holds, where the allocator's own counters tell."""
    if before is None or now is None:
        return None
    seen: Dict[str, int] = {}
    for event in events:
        action = str(event.get("action"))
        seen[action] = seen.get(action, 0) + 1
    if "segment_map" in seen or "segment_unmap" in seen:
        return None  # the counters do not count those
    return sum(max(0, now[action] - before.get(action, 0) - seen.get(action, 0)) for action in now)


def _key(event: dict) -> tuple:
    return (event.get("action"), event.get("addr"), event.get("size"), event.get("stream"), event.get("time_us"))


def _time_ns(event: dict) -> int:
    time_us = event.get("time_us")
    return -1 if time_us is None else int(time_us) * 1000


def _rounded(size: int) -> int:
    return max(SMALLEST_BLOCK, (size + SMALLEST_BLOCK - 1) // SMALLEST_BLOCK * SMALLEST_BLOCK)


def _region(action: str, size: int) -> str:
    if action in ("segment_map", "segment_unmap"):
        return "virtual"
    return "immediate" if size == SMALL_SEGMENT else "pooled"


def _stack(event: dict) -> Optional[List[str]]:
    frames = event.get("frames")
    if not frames:
        return None
    return [_frame(frame) for frame in frames[:MOST_FRAMES]]


def _frame(frame: dict) -> str:
    name = str(frame.get("name", "")).replace(";", ",")
    place = str(frame.get("filename", "")).replace(";", ",")
    return "%s (%s:%d)" % (name, place, int(frame.get("line", 0)))


class Watch:
    """Looks at something again and again, in a thread of its own, and sends what is new. ``stop`` ends it."""

    def __init__(
        self,
        look: Callable[[SnapshotReader], Iterator[Row]],
        client: Client,
        interval: float,
        say: Callable[[str], None],
    ) -> None:
        self._look = look
        self.client = client
        self._interval = interval
        self._say = say
        self._reader = SnapshotReader()
        self._is_restarted = threading.Event()
        self._stopping = threading.Event()
        self._problem = ""
        self._thread = threading.Thread(target=self._run, name="strata-watch", daemon=True)

    def start(self) -> "Watch":
        self._thread.start()
        return self

    def stop(self, timeout: float = 5.0) -> None:
        """Looks a last time, sends what is left and ends."""
        self._stopping.set()
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout)
        self.client.close()

    def __enter__(self) -> "Watch":
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def restart(self) -> None:
        """Everything is to be told anew, at the next look."""
        self._is_restarted.set()

    def _run(self) -> None:
        while self.client.refusal is None:
            is_last = self._stopping.is_set()
            begun = time.monotonic()
            self._send_new()
            if is_last:
                return
            # What is slow is done less often: looking takes no more than a tenth of the time.
            self._stopping.wait(max(self._interval, 9 * (time.monotonic() - begun)))

    def _send_new(self) -> None:
        if self._is_restarted.is_set():
            self._is_restarted.clear()
            self._reader = SnapshotReader()
            self.client.resume()
        try:
            for action, time_ns, values in self._look(self._reader):
                while not self.client.row(action, time_ns, wait=1.0, **values):
                    if self.client.refusal is not None or self._stopping.is_set():
                        return
                if self._is_restarted.is_set():
                    return
            self._problem = ""
        except Exception as problem:  # the program that is watched must not notice
            if str(problem) != self._problem:
                self._say("strata_live cannot look: %s: %s" % (type(problem).__name__, problem))
            self._problem = str(problem)


def watch_pytorch(
    interval: float = 1.0,
    *,
    max_entries: int = 100_000,
    record: bool = True,
    stacks: str = "python",
    address: Optional[str] = None,
    producer: Optional[str] = None,
    say: Optional[Callable[[str], None]] = None
) -> Watch:
    """Shows what PyTorch's allocator does in Strata while the program runs; returns at once.

    Call it before the model is built. Every ``interval`` seconds, or less often where a look takes long, a thread asks
    ``torch.cuda.memory._snapshot()`` and sends what is new. ``max_entries`` is the length of PyTorch's ring of events:
    long enough for what happens between two looks, and no longer, since each look copies it. With ``record`` False the
    program calls ``_record_memory_history`` itself.
    """
    import torch  # type: ignore[import-not-found]

    memory = torch.cuda.memory
    if record:
        try:
            memory._record_memory_history(max_entries=max_entries, stacks=stacks)
        except TypeError:  # before PyTorch 2.1
            memory._record_memory_history(True, trace_alloc_max_entries=max_entries)

    def look(reader: SnapshotReader) -> Iterator[Row]:
        before = _counters(torch)
        snapshot = memory._snapshot()
        after = _counters(torch)
        # Only where nothing happened meanwhile do the counters belong to the snapshot.
        return reader.rows(snapshot, after if before == after else None)

    return _watching(look, interval, address, producer, say)


def _watching(
    look: Callable[[SnapshotReader], Iterator[Row]],
    interval: float,
    address: Optional[str],
    producer: Optional[str],
    say: Optional[Callable[[str], None]],
) -> Watch:
    tell = say or _print_error
    watch: List[Watch] = []
    client = Client(
        producer, address, sizes="estimated", room=20_000, say=tell, on_restart=lambda: watch[0].restart()
    )
    watch.append(Watch(look, client, interval, tell))
    return watch[0].start()


def _print_error(sentence: str) -> None:
    print("strata_live: %s" % sentence, file=sys.stderr)


COUNTED = {
    "alloc": "allocation.all.allocated",
    "free_requested": "allocation.all.freed",
    "free_completed": "active.all.freed",
    "segment_alloc": "segment.all.allocated",
    "segment_free": "segment.all.freed",
}


def _counters(torch: Any) -> Optional[Dict[int, Dict[str, int]]]:
    """How many events of each action every device has had, or None where it does not tell."""
    try:
        return {
            device: {action: int(stats[name]) for action, name in COUNTED.items()}
            for device, stats in (
                (device, torch.cuda.memory_stats(device)) for device in range(torch.cuda.device_count())
            )
        }
    except Exception:  # an old PyTorch, or a build without
        return None
