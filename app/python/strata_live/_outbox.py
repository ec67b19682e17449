"""Lines on their way: a bounded queue that counts what it has no room for."""

import json
import threading
from collections import deque
from typing import Deque, List, NamedTuple, Optional


class Outbox:
    """Keeps lines until they are sent, and those sent last in case that the connection loses them.

    Thread-safe. A line that finds no room is dropped and counted; the count goes out as a gap line before the next
    line that finds some, so the receiver knows of it, and where. The receiver says after each connection how many
    lines it has, and ``rewind`` goes back to there.
    """

    def __init__(self, room: int, memory: int) -> None:
        self._room = room
        self._memory = memory
        self._waiting: Deque[_Line] = deque()
        self._sent: Deque[_Line] = deque()
        self._sent_count = 0
        self._forgotten_events = 0  # of lines that were sent and are no longer kept
        self._dropped = 0  # since the last gap line
        self._dropped_ever = 0
        self._is_closed = False
        self._is_held = False
        self._is_finishing = False
        self._changed = threading.Condition()

    @property
    def dropped(self) -> int:
        """Events that were dropped or lost so far."""
        with self._changed:
            return self._dropped_ever

    def put(self, line: bytes, wait: Optional[float] = None, events: int = 1) -> bool:
        """False when there was no room, with ``wait`` not even after so many seconds."""
        with self._changed:
            if wait is not None:
                self._changed.wait_for(lambda: self._has_room() or self._is_closed or self._is_held, wait)
            if self._is_held:
                return False  # it will be told anew
            if self._is_closed or not self._has_room():
                self._drop(events)
                return False
            self._tell_dropped()
            self._waiting.append(_Line(line, events))
            self._changed.notify_all()
            return True

    def take(self, most: int, timeout: float) -> List[bytes]:
        """The next lines, as soon as there is one; empty when there is none in time. They count as sent."""
        with self._changed:
            if not self._waiting:
                self._tell_dropped()
            if not self._waiting and not self._is_finishing:
                self._changed.wait(timeout)
            taken = [self._waiting.popleft() for _ in range(min(most, len(self._waiting)))]
            self._sent.extend(taken)
            self._sent_count += len(taken)
            while len(self._sent) > self._memory:
                self._forgotten_events += self._sent.popleft().events
            self._changed.notify_all()
            return [line.text for line in taken]

    def rewind(self, received: int) -> None:
        """The receiver has so many lines: those sent after them wait again, or are said to be missing."""
        with self._changed:
            missing = max(0, self._sent_count - received)
            kept = min(missing, len(self._sent))
            self._waiting.extendleft(self._sent.pop() for _ in range(kept))
            self._sent_count = received
            if missing == kept:
                return
            lost = self._forgotten_events if received == 0 else missing - kept
            self._dropped_ever += lost
            self._waiting.appendleft(_Line(gap_line(lost, "they were sent to a Strata that is gone"), lost))

    def has_sent(self) -> bool:
        with self._changed:
            return self._sent_count > 0

    def restart(self) -> None:
        """Forgets every line: the receiver is a new one. Takes no more until ``resume``, from when on everything is
        told anew."""
        with self._changed:
            self._is_held = True
            self._waiting.clear()
            self._sent.clear()
            self._sent_count = self._forgotten_events = self._dropped = 0
            self._changed.notify_all()

    def resume(self) -> None:
        with self._changed:
            self._is_held = False

    def close(self) -> None:
        """Nothing will be sent any more, and nothing is kept."""
        with self._changed:
            self._is_closed = True
            self._drop(sum(line.events for line in self._waiting))
            self._waiting.clear()
            self._sent.clear()
            self._changed.notify_all()

    def is_empty(self) -> bool:
        with self._changed:
            return not self._waiting and not self._dropped

    def finish(self) -> None:
        """From now on ``take`` waits for nothing."""
        with self._changed:
            self._is_finishing = True
            self._changed.notify_all()

    def _has_room(self) -> bool:
        return len(self._waiting) < self._room

    def _drop(self, events: int) -> None:
        self._dropped += events
        self._dropped_ever += events

    def _tell_dropped(self) -> None:
        if self._dropped:
            why = "the program was faster than the connection"
            self._waiting.append(_Line(gap_line(self._dropped, why), self._dropped))
            self._dropped = 0


class _Line(NamedTuple):
    text: bytes
    events: int


def gap_line(dropped: Optional[int], why: str) -> bytes:
    """Says that events are missing; ``dropped`` None: nobody knows how many."""
    row = {"action": "gap", "label": why}
    if dropped is not None:
        row["dropped"] = dropped
    return encode(row)


def encode(row: dict) -> bytes:
    """One line."""
    return json.dumps(row, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"
