"""A model of PyTorch's CUDA caching allocator, as far as the sample captures need it.

Placement, splitting, merging and growth follow c10/cuda/CUDACachingAllocator.cpp of PyTorch 2.6: best fit by size,
then address, in a small (up to 1 MiB) and a large pool of one stream; segments of 2 MiB, 20 MiB or the request
rounded up to 2 MiB; or one growing range for each pool when segments are expandable.
"""

import bisect

KIB = 1 << 10
MIB = 1 << 20
UNIT = 512
SMALL_REQUEST = MIB
SMALL_SEGMENT = 2 * MIB
LARGE_SEGMENT = 20 * MIB
OWN_SEGMENT = 10 * MIB
FIRST_RANGE, RANGE_SPACING = 0x7E0000000000, 1 << 40


class OutOfMemory(Exception):
    """The request failed for good, after the cache was given back."""


class Block:
    """A piece of a segment; `next` and `prev` are its neighbours in it."""

    def __init__(self, address, size, pool, is_mapped=True):
        self.address, self.size, self.pool = address, size, pool
        self.is_mapped = is_mapped
        self.is_allocated = False
        self.requested = 0
        self.frames = []
        self.prev = self.next = None


class Driver:
    """Gives out address ranges first fit; large ones start at multiples of 32 MiB, as seen on real devices."""

    def __init__(self, base, total):
        self.base, self.total, self.used = base, total, []

    def free_bytes(self):
        return self.total - sum(size for _, size in self.used)

    def take(self, size):
        if size > self.free_bytes():
            return None
        step = 32 * MIB if size > SMALL_SEGMENT else SMALL_SEGMENT
        at = self.base
        for start, taken in self.used:
            if at + size <= start:
                break
            at = max(at, -(-(start + taken) // step) * step)
        bisect.insort(self.used, (at, size))
        return at

    def give_back(self, address, size):
        self.used.remove((address, size))


class Allocator:
    def __init__(self, recorder, total, is_expandable=False):
        self.recorder, self.is_expandable = recorder, is_expandable
        self.driver = Driver(0x7F4A00000000, total)
        self.free_blocks = {"small": [], "large": []}
        self.heads = {}  # first block of each segment or range -> frames that obtained it
        self.unmapped = {"small": [], "large": []}
        self.ranges = 0

    # ---------------------------------------------------------------- what a program calls

    def malloc(self, requested, frames):
        frames = self.recorder.context(frames)
        size = max(UNIT, -(-requested // UNIT) * UNIT)
        pool = "small" if size <= SMALL_REQUEST else "large"
        block = self._find(pool, size) or self._grow(pool, size, frames)
        if block is None:
            self.empty_cache(frames)
            block = self._grow(pool, size, frames)
        if block is None:
            self.recorder.failure(size, self.driver.free_bytes(), frames)
            raise OutOfMemory
        self._split(block, size)
        block.is_allocated, block.requested, block.frames = True, requested, frames
        self.recorder.event("alloc", block.address, requested, frames)
        return block

    def free(self, block, frames):
        self.recorder.event("free_requested", block.address, block.requested, frames)
        self.recorder.event("free_completed", block.address, block.requested, frames)
        block.is_allocated, block.frames = False, []
        self._put(self._merged(block))

    def empty_cache(self, frames):
        """Gives wholly free segments back, large ones first, then the whole pages inside free blocks."""
        for pool in ("large", "small"):
            for _, _, block in list(self.free_blocks[pool]):
                if self.is_expandable:
                    self._unmap(block, frames)
                elif block.prev is None and block.next is None:
                    self._cut(block)
                    del self.heads[block]
                    self.driver.give_back(block.address, block.size)
                    self.recorder.event("segment_free", block.address, block.size, frames)

    # ---------------------------------------------------------------- finding

    def _find(self, pool, size):
        blocks = self.free_blocks[pool]
        at = bisect.bisect_left(blocks, (size,))
        if at == len(blocks):
            return None
        if self.is_expandable:  # a block is worth what it can grow to
            while at + 1 < len(blocks) and worth(blocks[at + 1][2]) < worth(blocks[at][2]):
                at += 1
        return blocks.pop(at)[2]

    def _split(self, block, size):
        rest = block.size - size
        if rest < UNIT if self.is_expandable or block.pool == "small" else rest <= MIB:
            return
        tail = Block(block.address + size, rest, block.pool)
        self._link(block, tail, block.next)
        block.size = size
        self._put(tail)

    # ---------------------------------------------------------------- growing

    def _grow(self, pool, size, frames):
        if self.is_expandable:
            return self._grow_range(pool, size, frames)
        bytes_ = segment_size(size)
        address = self.driver.take(bytes_)
        if address is None:
            return None
        block = Block(address, bytes_, pool)
        self.heads[block] = frames
        self.recorder.event("segment_alloc", address, bytes_, frames)
        return block

    def _grow_range(self, pool, size, frames):
        block = self._room_in_range(pool, size) or self._new_range(pool, frames)
        if not block.is_mapped:
            block = self._map(block, min(block.size, size), frames)
        while block is not None and block.size < size:
            block = self._map(block.next, min(block.next.size, size - block.size), frames)
        if block is not None:
            self._cut(block)
        return block

    def _room_in_range(self, pool, size):
        """The lowest run of free and unmapped blocks that is long enough."""
        for _, start in self.unmapped[pool]:
            if start.prev is not None and not start.prev.is_allocated:
                start = start.prev
            room, at = 0, start
            while at is not None and not at.is_allocated and room < size:
                room, at = room + at.size, at.next
            if room >= size:
                return start
        return None

    def _new_range(self, pool, frames):
        size = page_size(pool) * (-(-self.driver.total * 9 // 8 // page_size(pool)))
        block = Block(FIRST_RANGE + self.ranges * RANGE_SPACING, size, pool, is_mapped=False)
        self.ranges += 1
        self.heads[block] = frames
        bisect.insort(self.unmapped[pool], (block.address, block))
        return block

    def _map(self, block, size, frames):
        """Maps the first pages of an unmapped block and merges them with their free neighbours."""
        page = page_size(block.pool)
        size = -(-size // page) * page
        if size > self.driver.free_bytes():
            return None
        self.unmapped[block.pool].remove((block.address, block))
        self.driver.used.append((block.address, size))
        if size < block.size:
            rest = Block(block.address + size, block.size - size, block.pool, is_mapped=False)
            self._link(block, rest, block.next)
            block.size = size
            bisect.insort(self.unmapped[block.pool], (rest.address, rest))
        block.is_mapped = True
        self.recorder.event("segment_map", block.address, size, frames)
        block = self._merged(block)
        self._put(block)
        return block

    def _unmap(self, block, frames):
        page, base = page_size(block.pool), block.address // RANGE_SPACING * RANGE_SPACING
        start = base - (base - block.address) // page * page
        end = base + (block.address + block.size - base) // page * page
        if start >= end:
            return
        self._cut(block)
        if end < block.address + block.size:
            after = Block(end, block.address + block.size - end, block.pool)
            self._link(block, after, block.next)
            self._put(after)
        if start > block.address:
            before = Block(block.address, start - block.address, block.pool)
            self._replace_head(block, before)
            self._link(block.prev, before, block)
            self._put(before)
        block.address, block.size, block.is_mapped = start, end - start, False
        self._give_pages_back(start, end)
        self.recorder.event("segment_unmap", start, end - start, frames)
        block = self._merged(block)
        bisect.insort(self.unmapped[block.pool], (block.address, block))

    def _give_pages_back(self, start, end):
        kept = []
        for address, size in self.driver.used:
            if address < start:
                kept.append((address, min(size, start - address)))
            if address + size > end:
                first = max(address, end)
                kept.append((first, address + size - first))
        self.driver.used = [piece for piece in kept if piece[1] > 0]

    # ---------------------------------------------------------------- lists

    def _put(self, block):
        bisect.insort(self.free_blocks[block.pool], (block.size, block.address, block))

    def _cut(self, block):
        self.free_blocks[block.pool].remove((block.size, block.address, block))

    def _link(self, before, block, after):
        block.prev, block.next = before, after
        if before is not None:
            before.next = block
        if after is not None:
            after.prev = block

    def _merged(self, block):
        """Takes in the neighbours that are free and of the same kind, mapped or unmapped."""
        for other in (block.prev, block.next):
            if other is None or other.is_allocated or other.is_mapped != block.is_mapped:
                continue
            if other.is_mapped:
                self._cut(other)
            else:
                self.unmapped[other.pool].remove((other.address, other))
            if other is block.prev:
                block.address = other.address
                self._replace_head(other, block)
                self._link(other.prev, block, block.next)
            else:
                self._link(block.prev, block, other.next)
            block.size += other.size
        return block

    def _replace_head(self, old, new):
        if old in self.heads:
            self.heads[new] = self.heads.pop(old)


def worth(block):
    return block.size + (block.next.size if block.next is not None and not block.next.is_mapped else 0)


def segment_size(size):
    if size <= SMALL_REQUEST:
        return SMALL_SEGMENT
    return LARGE_SEGMENT if size < OWN_SEGMENT else -(-size // (2 * MIB)) * 2 * MIB


def page_size(pool):
    return SMALL_SEGMENT if pool == "small" else LARGE_SEGMENT
