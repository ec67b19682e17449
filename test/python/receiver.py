"""A Strata that only listens: what tests of the client talk to."""

import json
import os
import socket
import tempfile
import threading


class Receiver:
    """Takes connections one after the other; says what it received, and can go away at any line."""

    def __init__(self, knows_sessions=True):
        self.folder = tempfile.mkdtemp()
        self.path = os.path.join(self.folder, "s")
        self.address = "unix:" + self.path
        self.hellos = []
        self.rows = []
        self.controls = []
        self.knows_sessions = knows_sessions
        self.break_after = None  # lines of a connection, after which it is cut
        self.answer = None  # instead of an acceptance
        self.reading = threading.Event()
        self.reading.set()
        self._changed = threading.Condition()
        self._server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._server.bind(self.path)
        self._server.listen()
        threading.Thread(target=self._run, daemon=True).start()

    def close(self):
        self._server.close()
        os.unlink(self.path)
        os.rmdir(self.folder)

    def wait(self, is_true, seconds=20):
        """Until it is so; a test that waits in vain fails."""
        with self._changed:
            if not self._changed.wait_for(lambda: is_true(self), seconds):
                raise AssertionError("waited in vain; %d rows, %r" % (len(self.rows), self.controls))

    def _run(self):
        while True:
            try:
                connection, _ = self._server.accept()
            except OSError:
                return
            with connection:
                try:
                    self._serve(connection)
                except OSError:
                    pass

    def _serve(self, connection):
        lines = self._lines(connection)
        hello = next(lines, None)
        if hello is None:
            return
        self._note(self.hellos, json.loads(hello))
        received = len(self.rows) if self.knows_sessions else 0
        answer = self.answer or {"strata": "accepted", "version": 1, "received": received}
        connection.sendall(json.dumps(answer).encode() + b"\n")
        for number, line in enumerate(lines, 1):
            said = json.loads(line)
            if "strata" in said:
                self._note(self.controls, said["strata"])
                if said["strata"] == "end":
                    connection.sendall(b'{"strata":"ended","received":%d}\n' % len(self.rows))
                    return
                continue
            self._note(self.rows, said)
            if number == self.break_after:
                self.break_after = None
                return

    def _lines(self, connection):
        rest = b""
        while True:
            self.reading.wait()
            chunk = connection.recv(4096)
            if not chunk:
                return
            rest += chunk
            *lines, rest = rest.split(b"\n")
            yield from lines

    def _note(self, notes, note):
        with self._changed:
            notes.append(note)
            self._changed.notify_all()
