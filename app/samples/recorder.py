"""What torch.cuda.memory._record_memory_history() keeps, and the dict that _snapshot() makes of it."""

import gzip
import pickle
import random
import struct

# Microseconds; the driver is asked rarely and answers slowly.
COST = {"alloc": (2, 9), "free_requested": (1, 5), "free_completed": (0, 1)}
DRIVER_COST = (280, 900)


class Recorder:
    def __init__(self, seed, version):
        self.random = random.Random(seed)
        self.version = version
        self.now = 1764496800_000000
        self.events, self.annotations = [], []
        self.is_on = False

    def event(self, action, address, size, frames):
        self.now += self.random.randint(*COST.get(action, DRIVER_COST))
        if self.is_on:
            self.events.append({"action": action, "addr": address, **self._common(size, frames)})

    def context(self, frames):
        """The stack an allocation carries: none is taken before the recording starts."""
        return frames if self.is_on else []

    def failure(self, size, device_free, frames):
        self.now += self.random.randint(*DRIVER_COST)
        self.events.append({"action": "oom", "device_free": device_free, **self._common(size, frames)})

    def _common(self, size, frames):
        entry = {"size": size, "stream": 0, "time_us": self.now}
        if self.version >= (2, 8):
            entry["compile_context"] = "N/A"
        if self.version >= (2, 10):
            entry["user_metadata"] = ""
        entry["frames"] = frames
        return entry

    def compute(self, microseconds):
        """The program does something else for about that long."""
        self.now += self.random.randint(microseconds * 7 // 10, microseconds * 13 // 10)

    def annotate(self, stage, name):
        if self.is_on:
            self.annotations.append({"stage": stage, "name": name, "device": 0, "time_us": self.now})


class Frames:
    """Stacks of shared frames: equal frames are one dict, equal stacks one list, as in a real pickle."""

    def __init__(self):
        self.known, self.stacks = {}, {}

    def stack(self, *frames):
        if frames not in self.stacks:
            self.stacks[frames] = [self._frame(*frame) for frame in frames]
        return self.stacks[frames]

    def _frame(self, name, filename, line):
        key = (name, filename, line)
        return self.known.setdefault(key, {"name": name, "filename": filename, "line": line})


def snapshot(allocator, recorder):
    settings = {
        "PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True" if allocator.is_expandable else "",
        "max_split_size": -1,
        "garbage_collection_threshold": 0.0,
        "expandable_segments": allocator.is_expandable,
        "pinned_num_register_threads": 1,
        "release_lock_on_cudamalloc": False,
        "pinned_use_cuda_host_register": False,
        "roundup_power2_divisions": {str(1 << step): 0 for step in range(16)},
    }
    if recorder.version >= (2, 9):
        settings["graph_capture_record_stream_reuse"] = False
    return {
        "segments": list(segments(allocator)),
        "device_traces": [recorder.events],
        "allocator_settings": settings,
        "external_annotations": recorder.annotations,
    }


def segments(allocator):
    """One dict for each segment, or for each mapped run of a range, by address."""
    for head in sorted(allocator.heads, key=lambda block: block.address):
        run, block = [], head
        while block is not None:
            if block.is_mapped:
                run.append(block)
            elif run:
                yield segment(run, allocator.heads[head], allocator.is_expandable)
                run = []
            block = block.next
        if run:
            yield segment(run, allocator.heads[head], allocator.is_expandable)


def segment(run, frames, is_expandable):
    in_use = [block for block in run if block.is_allocated]
    return {
        "device": 0,
        "address": run[0].address,
        "total_size": sum(block.size for block in run),
        "allocated_size": sum(block.size for block in in_use),
        "active_size": sum(block.size for block in in_use),
        "requested_size": sum(block.requested for block in in_use),
        "stream": 0,
        "segment_type": run[0].pool,
        "segment_pool_id": (0, 0),
        "is_expandable": is_expandable,
        "frames": frames,
        "blocks": [
            {
                "address": block.address,
                "size": block.size,
                "requested_size": block.requested if block.is_allocated else 0,
                "state": "active_allocated" if block.is_allocated else "inactive",
                "frames": block.frames,
            }
            for block in run
        ],
    }


def write(path, allocator, recorder):
    """A gzip file that is the same on every machine: no time stamp, no file name."""
    data = pickle.dumps(snapshot(allocator, recorder), protocol=4)
    packed = gzip.compress(data, compresslevel=9, mtime=0)
    # Byte 9 names the operating system; 255 is "unknown".
    packed = packed[:9] + struct.pack("B", 255) + packed[10:]
    with open(path, "wb") as file:
        file.write(packed)
    print(f"{path.name}: {len(recorder.events)} events, {len(data)} bytes, {len(packed)} packed")
