"""The client: what it sends, and what it does when the other side is slow, gone, new, or will not have it."""

import unittest

from receiver import Receiver
from strata_live import Client
from strata_live._endpoint import connect, token_of
from strata_live._outbox import Outbox


class ClientTest(unittest.TestCase):
    def setUp(self):
        self.receiver = Receiver()
        self.addCleanup(self.receiver.close)

    def client(self, **options):
        client = Client("test", self.receiver.address, **options)
        self.addCleanup(client.close)
        return client

    def test_says_hello_sends_rows_in_order_and_says_goodbye(self):
        with self.client(devices=["cuda:0"]) as client:
            client.segment_alloc(4096, 8192, device="cuda:0", time_ns=1)
            client.alloc(1 << 56, 512, requested=500, stack=["f (a.py:1)"], time_ns=2)
            client.free(1 << 56, time_ns=-1)
            client.out_of_memory(99, device_free=1, time_ns=3)
            client.mark("here", time_ns=4)
        self.receiver.wait(lambda receiver: "end" in receiver.controls)
        hello = self.receiver.hellos[0]
        self.assertEqual((hello["strata"], hello["version"], hello["producer"]), ("allocations", 1, "test"))
        self.assertEqual(hello["devices"], ["cuda:0"])
        self.assertEqual(
            self.receiver.rows,
            [
                {"action": "segment_alloc", "time_ns": 1, "address": 4096, "bytes": 8192, "device": "cuda:0"},
                {
                    "action": "alloc",
                    "time_ns": 2,
                    "address": 1 << 56,
                    "bytes": 512,
                    "requested": 500,
                    "stack": ["f (a.py:1)"],
                },
                {"action": "free", "address": 1 << 56},
                {"action": "oom", "time_ns": 3, "bytes": 99, "device_free": 1},
                {"action": "marker", "time_ns": 4, "label": "here"},
            ],
        )

    def test_goes_on_after_the_connection_broke_and_loses_nothing(self):
        self.receiver.break_after = 5
        with self.client() as client:
            for number in range(100):
                client.alloc(4096 * (number + 1), 512, time_ns=number)
            self.receiver.wait(lambda receiver: len(receiver.rows) >= 100)
        self.assertEqual([row["time_ns"] for row in self.receiver.rows], list(range(100)))
        self.assertEqual(len({hello["session"] for hello in self.receiver.hellos}), 1)
        self.assertEqual(client.dropped, 0)

    def test_drops_what_finds_no_room_and_says_how_many_and_where(self):
        self.receiver.reading.clear()
        client = self.client(room=1000)
        sent = 0
        while client.dropped < 50:  # the socket's own room fills first
            sent += 1
            client.alloc(4096 * sent, 512, label="x" * 500, time_ns=sent)
        self.receiver.reading.set()
        self.receiver.wait(lambda receiver: any(row["action"] == "gap" for row in receiver.rows))
        gap = next(row for row in self.receiver.rows if row["action"] == "gap")
        self.assertEqual(gap["dropped"], client.dropped)
        before = self.receiver.rows[: self.receiver.rows.index(gap)]
        self.assertEqual(len(before) + gap["dropped"], sent)

    def test_stops_for_good_when_it_is_refused(self):
        self.receiver.answer = {"strata": "refused", "code": "version-unknown", "message": "too new"}
        said = []
        client = self.client(say=said.append)
        self.receiver.wait(lambda receiver: receiver.hellos)
        client._thread.join(20)
        self.assertEqual(client.refusal, "too new")
        self.assertIn("too new", said[-1])
        self.assertFalse(client.alloc(4096, 512))
        self.assertEqual(client.dropped, 1)

    def test_waits_for_a_strata_that_is_not_there_yet(self):
        late = Receiver()
        path = late.path
        late._server.close()
        import os
        import socket

        os.unlink(path)
        client = Client("test", late.address)
        client.alloc(4096, 512, time_ns=1)
        late._server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        late._server.bind(path)
        late._server.listen()
        import threading

        threading.Thread(target=late._run, daemon=True).start()
        late.wait(lambda receiver: receiver.rows)
        client.close()
        late.close()

    def test_names_the_token_of_an_address(self):
        self.assertEqual(token_of("tcp:127.0.0.1:80:secret"), "secret")
        self.assertEqual(token_of("unix:/a:b:c:d"), "")
        with self.assertRaises(ValueError):
            connect("http://localhost", 1)


class OutboxTest(unittest.TestCase):
    def test_sends_again_what_the_receiver_does_not_have(self):
        outbox = Outbox(room=10, memory=10)
        for line in (b"1", b"2", b"3"):
            outbox.put(line)
        self.assertEqual(outbox.take(10, 0), [b"1", b"2", b"3"])
        outbox.rewind(1)
        self.assertEqual(outbox.take(10, 0), [b"2", b"3"])

    def test_says_what_it_no_longer_has(self):
        outbox = Outbox(room=10, memory=2)
        for line in (b"1", b"2", b"3", b"4"):
            outbox.put(line)
        outbox.take(10, 0)
        outbox.rewind(0)
        gap, *rest = outbox.take(10, 0)
        self.assertIn(b'"dropped":2', gap)
        self.assertEqual(rest, [b"3", b"4"])
        self.assertEqual(outbox.dropped, 2)
        outbox.rewind(3)
        self.assertEqual(outbox.take(10, 0), [])

    def test_takes_nothing_between_restart_and_resume(self):
        outbox = Outbox(room=10, memory=10)
        outbox.put(b"1")
        outbox.restart()
        self.assertFalse(outbox.put(b"2"))
        outbox.resume()
        self.assertTrue(outbox.put(b"3"))
        self.assertEqual(outbox.take(10, 0), [b"3"])
        self.assertEqual(outbox.dropped, 0)
