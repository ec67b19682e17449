"""What is new between two snapshots, told once; and what cannot be known, said."""

import os
import pickle
import random
import sys
import tempfile
import unittest

from fake_torch import FakeAllocator, fake_torch
from receiver import Receiver
from strata_live import SnapshotReader, follow_dumps, read_dump, watch_pytorch
from strata_live._ranges import Ranges


class Told:
    """What a receiver knows from the rows."""

    def __init__(self):
        self.blocks = {}
        self.segments = {}
        self.gaps = []

    def take(self, rows):
        for action, _, values in rows:
            address = values.get("address")
            if action in ("alloc", "held"):
                self.blocks[address] = values["requested"]
            elif action == "free":
                del self.blocks[address]
            elif action in ("segment_alloc", "segment_held"):
                self.segments[address] = values["bytes"]
            elif action == "segment_free":
                del self.segments[address]
            elif action == "gap":
                self.gaps.append(values["dropped"])


def churn(allocator, generator, count):
    for _ in range(count):
        if not allocator.segments:
            allocator.segment()
        if allocator.blocks and generator.random() < 0.45:
            allocator.free(generator.choice(sorted(allocator.blocks)))
        else:
            base = generator.choice(sorted(allocator.segments))
            place = base + 8192 * generator.randrange(200)
            if place not in allocator.blocks:
                allocator.alloc(place, generator.randrange(1, 4000), generator.random() < 0.1)
            if generator.random() < 0.02:
                allocator.segment()


class SnapshotReaderTest(unittest.TestCase):
    def test_tells_every_event_once_whatever_the_looks(self):
        seed = 20261130
        generator = random.Random(seed)
        allocator, reader, told = FakeAllocator(ring=10_000), SnapshotReader(), Told()
        events = 0
        for _ in range(40):
            churn(allocator, generator, generator.randrange(0, 60))
            rows = list(reader.rows(allocator.snapshot()))
            events += len(rows)
            told.take(rows)
            expected = {place: requested for place, (_, requested) in allocator.blocks.items()}
            self.assertEqual(told.blocks, expected, "seed %d" % seed)
            self.assertEqual(told.segments, allocator.segments)
        self.assertEqual(told.gaps, [])
        self.assertEqual(events, len(allocator.events))

    def test_is_right_again_behind_every_gap_and_says_how_long_it_was(self):
        seed = 4
        generator = random.Random(seed)
        allocator, reader, told = FakeAllocator(ring=50), SnapshotReader(), Told()
        lost = 0
        for _ in range(30):
            before = sum(allocator.counts.values())
            churn(allocator, generator, generator.choice((5, 200)))
            made = sum(allocator.counts.values()) - before
            gaps = len(told.gaps)
            told.take(reader.rows(allocator.snapshot(), {0: dict(allocator.counts)}))
            if len(told.gaps) > gaps:
                self.assertEqual(told.gaps[-1], made - 50, "seed %d" % seed)
                lost += 1
            self.assertEqual(set(told.blocks), set(allocator.blocks), "seed %d" % seed)
            self.assertEqual(told.segments, allocator.segments)
        self.assertGreater(lost, 5)

    def test_says_that_nobody_knows_how_long_a_gap_is_without_counters(self):
        allocator, reader, told = FakeAllocator(ring=10), SnapshotReader(), Told()
        churn(allocator, random.Random(1), 30)
        told.take(reader.rows(allocator.snapshot()))
        churn(allocator, random.Random(2), 60)
        told.take(reader.rows(allocator.snapshot()))
        self.assertEqual(told.gaps, [None])

    def test_is_not_misled_by_events_that_look_the_same(self):
        allocator, reader, told = FakeAllocator(ring=1000), SnapshotReader(), Told()
        base = allocator.segment()
        for _ in range(5):
            allocator.alloc(base, 512)
            allocator.free(base)
        for event in allocator.events:
            del event["time_us"]
        rows = list(reader.rows(allocator.snapshot()))
        self.assertEqual(len(rows), 16)
        allocator.alloc(base, 512)
        del allocator.events[-1]["time_us"]
        rows = list(reader.rows(allocator.snapshot()))
        self.assertEqual([row[0] for row in rows], ["alloc"])
        self.assertEqual(rows[0][1], -1)

    def test_holds_what_was_there_before_the_ring_begins(self):
        allocator = FakeAllocator(ring=4)
        base = allocator.segment()
        allocator.alloc(base, 600)
        allocator.alloc(base + 8192, 700)
        allocator.free(base)
        allocator.alloc(base + 16384, 800)
        rows = list(SnapshotReader().rows(allocator.snapshot()))
        self.assertEqual(
            [(action, values.get("address", 0) - base) for action, _, values in rows],
            [
                ("segment_held", 0),
                ("held", 0),
                ("alloc", 8192),
                ("free_requested", 0),
                ("free", 0),
                ("alloc", 16384),
            ],
        )

    def test_tells_what_a_block_takes_up_while_the_snapshot_shows_it(self):
        allocator = FakeAllocator(ring=100)
        base = allocator.segment()
        allocator.alloc(base, 600, is_unsplit=True)
        allocator.alloc(base + 8192, 600)
        allocator.free(base + 8192)
        sizes = [v["bytes"] for action, _, v in SnapshotReader().rows(allocator.snapshot()) if action == "alloc"]
        self.assertEqual(sizes, [2048, 1024])

    def test_follows_the_pieces_of_an_expandable_segment(self):
        segment = {"device": 1, "address": 4096, "total_size": 8192, "is_expandable": True, "blocks": []}
        events = [
            {"action": "segment_map", "addr": 8192, "size": 4096, "stream": 0},
            {"action": "oom", "addr": 0, "size": 99, "stream": 0, "device_free": 5},
        ]
        snapshot = {"segments": [segment], "device_traces": [[], events]}
        rows = list(SnapshotReader().rows(snapshot))
        self.assertEqual([row[0] for row in rows], ["segment_held", "segment_alloc", "oom"])
        self.assertEqual(rows[0][2], {"address": 4096, "bytes": 4096, "region": "virtual", "device": "cuda:1"})
        self.assertEqual(rows[1][2]["region"], "virtual")
        self.assertEqual(rows[2][2]["device_free"], 5)


class RangesTest(unittest.TestCase):
    def test_joins_what_touches_and_cuts_what_is_taken_away(self):
        ranges = Ranges()
        ranges.add(10, 20)
        ranges.add(30, 40)
        ranges.add(20, 30)
        self.assertEqual(list(ranges), [(10, 40)])
        ranges.remove(15, 35)
        self.assertEqual(list(ranges), [(10, 15), (35, 40)])
        self.assertEqual(list(Ranges(((0, 50),)).without(ranges)), [(0, 10), (15, 35), (40, 50)])


class WatchTest(unittest.TestCase):
    def setUp(self):
        self.receiver = Receiver()
        self.addCleanup(self.receiver.close)

    def test_watches_pytorch_without_disturbing_it(self):
        allocator = FakeAllocator(ring=1000)
        sys.modules["torch"] = fake_torch(allocator)
        self.addCleanup(sys.modules.pop, "torch")
        allocator.alloc(allocator.segment(), 600)
        with watch_pytorch(0.01, address=self.receiver.address, producer="train.py", say=lambda sentence: None):
            self.receiver.wait(lambda receiver: len(receiver.rows) == 2)
            allocator.segment()
        self.receiver.wait(lambda receiver: "end" in receiver.controls)
        self.assertEqual([row["action"] for row in self.receiver.rows], ["segment_alloc", "alloc", "segment_alloc"])
        self.assertEqual(self.receiver.hellos[0]["sizes"], "estimated")
        self.assertEqual(self.receiver.rows[1]["stack"], ["step (train.py:%d)" % (600 % 7)])

    def test_says_once_what_keeps_it_from_looking(self):
        allocator = FakeAllocator(ring=10)
        torch = fake_torch(allocator)
        torch.cuda.memory._snapshot = lambda: 1 // 0
        sys.modules["torch"] = torch
        self.addCleanup(sys.modules.pop, "torch")
        said = []
        with watch_pytorch(0.001, address=self.receiver.address, say=said.append):
            self.receiver.wait(lambda receiver: receiver.hellos)
        self.assertEqual(len([sentence for sentence in said if "ZeroDivisionError" in sentence]), 1)

    def test_tells_a_new_strata_everything_anew(self):
        allocator = FakeAllocator(ring=1000)
        sys.modules["torch"] = fake_torch(allocator)
        self.addCleanup(sys.modules.pop, "torch")
        base = allocator.segment()
        allocator.alloc(base, 600)
        self.receiver.knows_sessions = False
        self.receiver.break_after = 2
        with watch_pytorch(0.01, address=self.receiver.address, say=lambda sentence: None):
            self.receiver.wait(lambda receiver: len(receiver.rows) >= 2)
            for number in range(1, 4):
                allocator.alloc(base + 8192 * number, 600)
            self.receiver.wait(lambda receiver: len(receiver.hellos) == 2 and len(receiver.rows) >= 7)
        told = [row["action"] for row in self.receiver.rows[-5:]]
        self.assertEqual(told, ["segment_alloc", "alloc", "alloc", "alloc", "alloc"])

    def test_follows_dumps_and_reads_a_half_written_one_again(self):
        folder = tempfile.mkdtemp()
        allocator = FakeAllocator(ring=1000)
        base = allocator.segment()
        allocator.alloc(base, 600)
        first = pickle.dumps(allocator.snapshot())
        path = os.path.join(folder, "1.pickle")
        with open(path, "wb") as file:
            file.write(first[:100])
        said = []
        with follow_dumps(folder, 0.01, address=self.receiver.address, say=said.append):
            while not any("left out" in sentence for sentence in said):
                pass
            self.assertEqual(self.receiver.rows, [])
            with open(path, "wb") as file:
                file.write(first)
            self.receiver.wait(lambda receiver: len(receiver.rows) == 2)
            allocator.free(base)
            with open(os.path.join(folder, "2.pickle"), "wb") as file:
                pickle.dump(allocator.snapshot(), file)
            self.receiver.wait(lambda receiver: len(receiver.rows) == 4)

    def test_runs_nothing_that_a_pickle_asks_for(self):
        path = os.path.join(tempfile.mkdtemp(), "evil.pickle")
        for value in (os.system, {"segments": [print]}):
            with open(path, "wb") as file:
                pickle.dump(value, file)
            with self.assertRaisesRegex(pickle.UnpicklingError, "no snapshot needs"):
                read_dump(path)
        with open(path, "wb") as file:
            pickle.dump([1, 2], file)
        with self.assertRaisesRegex(pickle.UnpicklingError, "no snapshot"):
            read_dump(path)
