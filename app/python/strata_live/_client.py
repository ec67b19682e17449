"""A program's side of the protocol."""

import atexit
import json
import os
import random
import socket
import sys
import threading
import time
import uuid
from typing import Callable, Dict, Iterable, List, Optional, Sequence, Union

from ._endpoint import connect, token_of, usual_address
from ._outbox import Outbox, encode, gap_line

VERSION = 1
HEARTBEAT_SECONDS = 5.0
ANSWER_SECONDS = 10.0
LONGEST_PAUSE_SECONDS = 10.0
LINES_AT_ONCE = 512
LONGEST_LINE = 1 << 20

Stack = Union[str, Sequence[str]]


class Refused(Exception):
    """Strata will not have this program: the sentence says why, and trying again does not help."""


class Client:
    """Streams allocator events to Strata from a thread of its own; no call ever waits for the connection or raises
    because of it.

    When Strata is not there, or goes away, the client keeps trying, more and more slowly, and holds back up to
    ``room`` events meanwhile. What finds no room is dropped, counted (``dropped``) and said to Strata, which shows a gap.

    ``producer``: what the program is called; by default the name of its script.
    ``address``: ``unix:PATH`` or ``tcp:127.0.0.1:PORT:TOKEN``; by default where Strata usually listens.
    ``sizes``: "estimated" when ``bytes`` is what was asked for, rounded by the caller, and not what a block takes up.
    ``on_restart``: called, in the client's thread, when a new Strata answers that knows nothing of what was sent
    before; nothing is taken until ``resume``, and then everything is to be told anew. Without it what is lost is said to be missing.
    ``say``: told of what a person may want to know, a sentence at a time; by default nobody is.

    >>> with Client("my pool") as strata:
    ...     strata.alloc(0x7F0000000000, 1 << 20, device="cuda:0", stack="forward (model.py:12)")
    ...     strata.free(0x7F0000000000)
    """

    def __init__(
        self,
        producer: Optional[str] = None,
        address: Optional[str] = None,
        devices: Iterable[str] = (),
        sizes: str = "exact",
        room: int = 200_000,
        say: Optional[Callable[[str], None]] = None,
        on_restart: Optional[Callable[[], None]] = None,
    ) -> None:
        self._address = address
        self._say = say or (lambda sentence: None)
        self._on_restart = on_restart
        self._hello = {
            "strata": "allocations",
            "version": VERSION,
            "producer": (producer or os.path.basename(sys.argv[0] or "") or "python")[:200],
            "pid": os.getpid(),
            "host": socket.gethostname()[:200],
            "session": uuid.uuid4().hex,
            "devices": list(devices),
            "sizes": sizes,
        }
        self._outbox = Outbox(room, memory=65_536)
        self._closing = threading.Event()
        self._deadline = 0.0
        self._is_connected = False
        self._refusal: Optional[str] = None
        self._thread = threading.Thread(target=self._run, name="strata-live", daemon=True)
        self._thread.start()
        atexit.register(self.close)

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def dropped(self) -> int:
        """Events that did not reach Strata and never will."""
        return self._outbox.dropped

    @property
    def is_connected(self) -> bool:
        return self._is_connected

    @property
    def refusal(self) -> Optional[str]:
        """Why Strata will not have this program, or None."""
        return self._refusal

    def alloc(
        self,
        address: int,
        size: int,
        *,
        requested: Optional[int] = None,
        device: Optional[str] = None,
        stream: Optional[int] = None,
        stack: Optional[Stack] = None,
        label: Optional[str] = None,
        region: Optional[str] = None,
        time_ns: Optional[int] = None
    ) -> bool:
        """A block of ``size`` bytes was handed out; ``requested`` is what was asked for.

        Answers, as all that send do, whether the event is on its way; False: it was dropped, and is counted.
        """
        return self.row(
            "alloc", time_ns, address=address, bytes=size, requested=requested, device=device, stream=stream,
            stack=stack, label=label, region=region,
        )

    def free(
        self,
        address: int,
        size: Optional[int] = None,
        *,
        device: Optional[str] = None,
        stream: Optional[int] = None,
        time_ns: Optional[int] = None
    ) -> bool:
        """The block at ``address`` is gone."""
        return self.row("free", time_ns, address=address, bytes=size, device=device, stream=stream)

    def segment_alloc(
        self,
        address: int,
        size: int,
        *,
        device: Optional[str] = None,
        stream: Optional[int] = None,
        region: Optional[str] = None,
        time_ns: Optional[int] = None
    ) -> bool:
        """Memory was taken from the driver. ``region``: "pooled" (default), "immediate" or "virtual"."""
        return self.row(
            "segment_alloc", time_ns, address=address, bytes=size, device=device, stream=stream, region=region
        )

    def segment_free(
        self,
        address: int,
        size: Optional[int] = None,
        *,
        device: Optional[str] = None,
        region: Optional[str] = None,
        time_ns: Optional[int] = None
    ) -> bool:
        """Memory was given back to the driver."""
        return self.row("segment_free", time_ns, address=address, bytes=size, device=device, region=region)

    def out_of_memory(
        self,
        size: int,
        *,
        device_free: Optional[int] = None,
        device: Optional[str] = None,
        stack: Optional[Stack] = None,
        time_ns: Optional[int] = None
    ) -> bool:
        """A request of ``size`` bytes failed; ``device_free`` is what the device had left."""
        return self.row("oom", time_ns, bytes=size, device_free=device_free, device=device, stack=stack)

    def mark(self, label: str, *, device: Optional[str] = None, time_ns: Optional[int] = None) -> bool:
        """A moment with a name."""
        return self.row("marker", time_ns, label=label, device=device)

    def begin(self, label: str, *, device: Optional[str] = None, time_ns: Optional[int] = None) -> bool:
        """A span with a name begins, such as a step; spans lie one inside the other."""
        return self.row("begin", time_ns, label=label, device=device)

    def end(self, label: str, *, device: Optional[str] = None, time_ns: Optional[int] = None) -> bool:
        """The span ends."""
        return self.row("end", time_ns, label=label, device=device)

    def gap(self, dropped: Optional[int], why: str) -> bool:
        """Events are missing here; ``dropped`` None: nobody knows how many."""
        return self._outbox.put(gap_line(dropped, why), events=dropped or 0)

    def row(
        self, action: str, time_ns: Optional[int] = None, wait: Optional[float] = None, **values: object
    ) -> bool:
        """Any row of Strata's own format (native/capture/GENERIC.md); None values are left out.

        Without ``time_ns`` the time is now; a negative one leaves the time out. With ``wait`` it may take so many
        seconds until there is room: for threads that have nothing else to do.
        """
        said: Dict[str, object] = {"action": action}
        if time_ns is None:
            time_ns = time.time_ns()
        if time_ns >= 0:
            said["time_ns"] = time_ns
        said.update((name, value) for name, value in values.items() if value is not None)
        line = encode(said)
        if len(line) >= LONGEST_LINE:
            line = encode({**said, "stack": None, "label": str(said.get("label", ""))[:1000]})
        return self._outbox.put(line, wait)

    def resume(self) -> None:
        """After ``on_restart``: from now on everything is told anew."""
        self._outbox.resume()

    def close(self, timeout: float = 2.0) -> None:
        """Sends what is left, as far as ``timeout`` seconds allow, and says goodbye."""
        if self._closing.is_set():
            return
        self._deadline = time.monotonic() + timeout
        self._closing.set()
        self._outbox.finish()
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout + 1.0)
        atexit.unregister(self.close)

    def _run(self) -> None:
        pause = 0.2
        while not self._is_over():
            try:
                with connect(self._address or usual_address(), ANSWER_SECONDS) as connection:
                    _Conversation(connection, self).hold()
                pause = 0.2
            except (Refused, ValueError) as refusal:
                self._refusal = str(refusal)
                self._say("Strata does not take the events of this program: %s" % refusal)
                self._outbox.close()
                return
            except OSError:
                pass  # not there, or gone: tried again
            finally:
                self._is_connected = False
            if self._closing.is_set() and self._outbox.is_empty():
                return
            # Eight ranks that lose one Strata do not come back in step.
            self._closing.wait(pause * random.uniform(0.5, 1.0))
            if self._closing.is_set():
                time.sleep(0.05)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)

    def _is_over(self) -> bool:
        return self._closing.is_set() and time.monotonic() > self._deadline


class _Conversation:
    """One connection, from hello to its end."""

    def __init__(self, connection: socket.socket, client: Client) -> None:
        self._connection = connection
        self._client = client
        self._answers = b""

    def hold(self) -> None:
        client = self._client
        address = client._address or usual_address()
        self._send([encode({**client._hello, "token": token_of(address)})])
        answer = self._answer()
        if answer.get("strata") != "accepted":
            raise Refused(str(answer.get("message", answer)))
        received = int(answer.get("received", 0))
        if received == 0 and client._on_restart is not None and client._outbox.has_sent():
            client._outbox.restart()
            client._on_restart()
        else:
            client._outbox.rewind(received)
        client._is_connected = True
        client._say("Connected to Strata.")
        # A receiver that is slow makes sending wait, and the queue fill; that is not a fault.
        self._connection.settimeout(None)
        while True:
            lines = client._outbox.take(LINES_AT_ONCE, HEARTBEAT_SECONDS)
            if lines:
                self._send(lines)
            elif client._closing.is_set():
                break
            else:
                self._send([encode({"strata": "heartbeat"})])
            self._listen()
            if client._is_over():
                break
        self._send([encode({"strata": "end"})])
        self._connection.settimeout(ANSWER_SECONDS)
        while self._answer().get("strata") != "ended":
            pass

    def _send(self, lines: List[bytes]) -> None:
        self._connection.sendall(b"".join(lines))

    def _answer(self) -> dict:
        """The next line of the receiver. Errors: OSError when it is gone."""
        while b"\n" not in self._answers:
            received = self._connection.recv(65_536)
            if not received:
                raise OSError("Strata closed the connection")
            self._answers += received
        line, _, self._answers = self._answers.partition(b"\n")
        answer = json.loads(line)
        return answer if isinstance(answer, dict) else {}

    def _listen(self) -> None:
        """What the receiver said meanwhile, without waiting."""
        self._connection.setblocking(False)
        try:
            received = self._connection.recv(65_536)
            if not received:
                raise OSError("Strata closed the connection")
            self._answers += received
        except BlockingIOError:
            pass
        finally:
            self._connection.setblocking(True)
        while b"\n" in self._answers:
            answer = self._answer()
            if answer.get("strata") == "unreadable":
                self._client._say("Strata cannot read a line: %s" % answer.get("message"))
            elif answer.get("strata") == "stopped":
                if answer.get("reason") == "closed":
                    raise OSError("Strata was closed")  # another one may come
                raise Refused(str(answer.get("message") or "it was stopped there"))
