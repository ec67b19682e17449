"""An allocator that records itself as PyTorch does, in a ring, without PyTorch."""

import types

SMALL = 2 << 20


class FakeAllocator:
    """One device. Blocks are rounded to 512 bytes and, every eighth, left unsplit and so larger than that."""

    def __init__(self, ring):
        self.ring = ring
        self.events = []
        self.clock = 1_700_000_000_000_000
        self.segments = {}
        self.blocks = {}
        self.next_address = 0x7F0000000000
        self.counts = {"alloc": 0, "free_requested": 0, "free_completed": 0, "segment_alloc": 0, "segment_free": 0}

    def note(self, action, address, size, **more):
        self.clock += 3
        event = {"action": action, "addr": address, "size": size, "stream": 0, "time_us": self.clock}
        event["frames"] = [{"name": "step", "filename": "train.py", "line": size % 7}]
        event.update(more)
        self.events = (self.events + [event])[-self.ring :]
        if action in self.counts:
            self.counts[action] += 1

    def segment(self, size=SMALL):
        address, self.next_address = self.next_address, self.next_address + 2 * size
        self.segments[address] = size
        self.note("segment_alloc", address, size)
        return address

    def alloc(self, address, requested, is_unsplit=False):
        size = -(-requested // 512) * 512 + (1024 if is_unsplit else 0)
        self.blocks[address] = (size, requested)
        self.note("alloc", address, requested)

    def free(self, address):
        _, requested = self.blocks.pop(address)
        self.note("free_requested", address, requested)
        self.note("free_completed", address, requested)

    def snapshot(self):
        segments = []
        for address, size in self.segments.items():
            blocks, at = [], address
            for place in sorted(place for place in self.blocks if address <= place < address + size):
                if place > at:
                    blocks.append({"address": at, "size": place - at, "state": "inactive"})
                block, requested = self.blocks[place]
                blocks.append(
                    {"address": place, "size": block, "requested_size": requested, "state": "active_allocated"}
                )
                at = place + block
            blocks.append({"address": at, "size": address + size - at, "state": "inactive"})
            kind = "small" if size == SMALL else "large"
            segments.append(
                {"device": 0, "address": address, "total_size": size, "segment_type": kind, "blocks": blocks}
            )
        return {"segments": segments, "device_traces": [list(self.events)]}


def fake_torch(allocator, with_counters=True):
    """A module in place of torch."""
    torch = types.ModuleType("torch")
    memory = types.SimpleNamespace(
        _snapshot=allocator.snapshot, _record_memory_history=lambda max_entries, stacks: None
    )
    torch.cuda = types.SimpleNamespace(memory=memory)
    if with_counters:
        names = {
            "allocation.all.allocated": "alloc",
            "allocation.all.freed": "free_requested",
            "active.all.freed": "free_completed",
            "segment.all.allocated": "segment_alloc",
            "segment.all.freed": "segment_free",
        }
        torch.cuda.device_count = lambda: 1
        torch.cuda.memory_stats = lambda device: {name: allocator.counts[kind] for name, kind in names.items()}
    return torch
