"""Sets of addresses, as ranges that do not touch."""

from typing import Iterator, List, Tuple


class Ranges:
    """Half-open ranges in order; adding joins what touches."""

    def __init__(self, ranges: Tuple[Tuple[int, int], ...] = ()) -> None:
        self._ranges: List[Tuple[int, int]] = list(ranges)

    def __iter__(self) -> Iterator[Tuple[int, int]]:
        return iter(list(self._ranges))

    def copy(self) -> "Ranges":
        return Ranges(tuple(self._ranges))

    def add(self, start: int, stop: int) -> None:
        apart = [one for one in self._ranges if one[1] < start or one[0] > stop]
        touching = [one for one in self._ranges if one[1] >= start and one[0] <= stop]
        joined = (min([start] + [one[0] for one in touching]), max([stop] + [one[1] for one in touching]))
        self._ranges = sorted(apart + [joined])

    def remove(self, start: int, stop: int) -> None:
        kept: List[Tuple[int, int]] = []
        for low, high in self._ranges:
            kept.extend(part for part in ((low, min(high, start)), (max(low, stop), high)) if part[0] < part[1])
        self._ranges = kept

    def without(self, other: "Ranges") -> "Ranges":
        rest = self.copy()
        for start, stop in other:
            rest.remove(start, stop)
        return rest
