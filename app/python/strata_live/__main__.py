"""``python -m strata_live FOLDER`` follows snapshot dumps; ``--demo`` shows a small program that does not exist."""

import argparse
import random
import sys
import time
from typing import List, Optional

from . import Client, follow_dumps

MIB = 1 << 20


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="strata_live", description="Stream allocations to Strata.")
    parser.add_argument("folder", nargs="?", help="a folder in which snapshot dumps appear")
    parser.add_argument("--address", help="unix:PATH or tcp:127.0.0.1:PORT:TOKEN; by default the usual place")
    parser.add_argument("--interval", type=float, default=1.0, help="seconds between two looks")
    parser.add_argument("--demo", type=float, metavar="SECONDS", help="events of a made-up program, so long")
    options = parser.parse_args(arguments)
    if options.demo is None and options.folder is None:
        parser.error("name a folder, or --demo SECONDS")
    try:
        if options.demo is not None:
            return _demo(options.demo, options.address)
        with follow_dumps(options.folder, options.interval, address=options.address) as watch:
            while watch.client.refusal is None:
                time.sleep(0.2)
        return 1
    except KeyboardInterrupt:
        return 130


def _demo(seconds: float, address: Optional[str]) -> int:
    """Steps of a training that does not exist: activations come and go, a cache grows."""
    generator = random.Random(7)
    end = time.monotonic() + seconds
    with Client("strata_live demo", address, say=_say) as client:
        base = 0x7F0000000000
        client.segment_alloc(base, 512 * MIB, device="cuda:0")
        kept, step, top = [], 0, base
        while time.monotonic() < end and client.refusal is None:
            step += 1
            client.begin("step %d" % step, device="cuda:0")
            top = base + sum(size for _, size in kept)
            for layer in range(12):
                size = generator.choice((1, 2, 4, 6, 8)) * MIB
                client.alloc(top, size, device="cuda:0", stack="forward (model.py:%d)" % (10 + layer))
                kept.append((top, size))
                top += size
                time.sleep(0.002)
            survivors = len(kept) - 12 + (1 if step % 4 == 0 else 0)
            while len(kept) > max(0, survivors):
                client.free(kept.pop()[0], device="cuda:0")
                time.sleep(0.002)
            if sum(size for _, size in kept) > 300 * MIB:
                while kept:
                    client.free(kept.pop()[0], device="cuda:0")
            client.end("step %d" % step, device="cuda:0")
    return 0 if client.refusal is None else 1


def _say(sentence: str) -> None:
    print("strata_live: %s" % sentence, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
