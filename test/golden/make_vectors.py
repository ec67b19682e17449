#!/usr/bin/env python3
"""Makes test/golden/vectors: traces from the seeded generator below, outputs from our own simulators.

    python3 test/golden/make_vectors.py            after "npm start" or any "npm run strata" has built the command line

Only random.Random(seed).random() is used, so the traces are the same on every Python 3. The outputs are what
`strata replay` writes; run this only when the simulators reproduce all recorded placements of the real allocators
(see README.md), and read the difference that git shows.
"""
import gzip
import hashlib
import json
import math
import pathlib
import random
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TARGET = HERE / 'vectors'
COMMAND = ['node', str(HERE.parent.parent / 'dist/host/strata.mjs'), 'replay']
KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30


class Trace:
    """A program under construction: its operations, and which of its blocks are alive."""

    def __init__(self, name, seed):
        self.name, self.operations, self.alive, self.count = name, [], [], 0
        self.random = random.Random(f'strata {name} {seed}')

    def below(self, limit):
        return int(self.random.random() * limit)

    def chance(self, probability):
        return self.random.random() < probability

    def size(self, smallest, largest):
        """Spread evenly over the logarithm, and now and then a round number."""
        exact = int(math.exp(math.log(smallest) + self.random.random() * math.log(largest / smallest)))
        return 1 << exact.bit_length() if self.chance(0.15) else exact

    def say(self, *words):
        self.operations.append(' '.join(str(word) for word in words))

    def allocate(self, size, stream=0):
        self.count += 1
        self.say('a', self.count, size, *([stream] if stream else []))
        self.alive.append(self.count)
        return self.count

    def free(self, block):
        self.say('f', block)
        self.alive.remove(block)

    def free_one(self):
        if self.alive:
            recent = self.alive[-1 - self.below(min(8, len(self.alive)))]
            self.free(recent if self.chance(0.5) else self.alive[self.below(len(self.alive))])

    def text(self):
        return '\n'.join([f'# trace v1 name={self.name} ops={len(self.operations)}', *self.operations, ''])


def churn(name, seed, length, live, smallest, largest, streams=1, extra=None):
    """Allocations and frees about `live` blocks deep; `extra` adds operations of its own now and then."""
    trace = Trace(name, seed)
    while len(trace.operations) < length:
        if extra and trace.chance(0.1):
            extra(trace)
        elif trace.chance(len(trace.alive) / (2 * live)):
            trace.free_one()
        else:
            trace.allocate(trace.size(smallest, largest), trace.below(streams))
    return trace


def training(name, seed, steps, layers):
    """Weights for good; activations of a forward pass freed by the backward pass; gradients; temporaries."""
    trace = Trace(name, seed)
    widths = [64 * KIB << trace.below(6) for _ in range(layers)]
    for width in widths:
        trace.allocate(width)
        trace.allocate(4 * trace.size(64, 4096))
    for _ in range(steps):
        batch = 1 + trace.below(6)
        saved = []
        for width in widths:
            workspace = trace.allocate(trace.size(4 * KIB, 8 * MIB))
            saved.append(trace.allocate(width * batch))
            trace.free(workspace)
        gradients = []
        for width, activation in zip(reversed(widths), reversed(saved)):
            gradients.append(trace.allocate(width))
            trace.free(activation)
        for gradient in gradients:
            trace.free(gradient)
    return trace


def on_streams(trace):
    if trace.chance(0.6) and trace.alive:
        trace.say('r', trace.alive[trace.below(len(trace.alive))], trace.below(4))
    elif trace.chance(0.5):
        trace.say('s', *([trace.below(4)] if trace.chance(0.5) else []))
    elif trace.chance(0.2):
        trace.say('e')


def with_frontier(trace):
    kind = trace.below(4)
    if kind == 0:
        trace.say('t')
    elif kind == 1:
        trace.say('w', trace.below(len(trace.operations)))
    elif kind == 2:
        trace.say('b', trace.below(len(trace.operations)) if trace.chance(0.5) else 0)


def with_limit(trace):
    trace.say(*(('m', round(0.2 + 0.8 * trace.random.random(), 2)) if trace.chance(0.3) else ('e',)))


def in_pools(name, seed, rounds):
    """Private pools opened one in another, filled, closed, some of their blocks kept, released, used again."""
    trace = Trace(name, seed)
    for _ in range(rounds):
        pools = [1 + trace.below(3) for _ in range(1 + trace.below(2))]
        pools = list(dict.fromkeys(pools))
        for pool in pools:
            trace.say('p', pool, *([trace.below(2)] if trace.chance(0.3) else []))
            for _ in range(4 + trace.below(12)):
                trace.allocate(trace.size(512, 30 * MIB), trace.below(2))
                if trace.chance(0.3):
                    trace.free_one()
        for pool in pools:
            trace.say('q', pool)
        while len(trace.alive) > 10:
            trace.free_one()
        for pool in pools:
            trace.say('x', pool)
        if trace.chance(0.4):
            trace.say('e')
    return trace


TRACES = [
    churn('wide', 1, 1500, 60, 1, 96 * MIB),
    churn('narrow', 2, 1500, 150, 200, 64 * KIB),
    churn('crowded', 3, 2000, 400, 256, 2 * MIB),
    churn('streams', 4, 1500, 80, 256, 24 * MIB, 4, on_streams),
    churn('stamped', 5, 1200, 60, 256, 4 * MIB, 1, with_frontier),
    churn('limited', 6, 1200, 50, 512, 48 * MIB, 2, with_limit),
    training('training', 7, 12, 14),
    in_pools('pools', 8, 30),
    churn('mini-edges', 9, 60, 6, 1, 40 * MIB, 2),
]


def bfc(limit, **settings):
    device = {'devcap': 2**63 - 1, 'policy': 'bump', 'gap': 2 * MIB, 'align': 2 * MIB}
    rules = {'allow_growth': 1, 'garbage_collection': 0, 'coalesce_regions': 0, 'fragmentation_fraction': 0}
    return {'k': 'cfg', 'allocator': 'bfc', 'limit': limit, **rules, **device, **settings}


def rmm(allocator, total=16 * GIB, **settings):
    sizes = {'initial_pool_size': 0, 'maximum_pool_size': None, 'arena_size': None}
    device = {'total': total, 'gap': 2 * MIB, 'align': 2 * MIB, 'ev0': []}
    return {'k': 'cfg', 'allocator': f'rmm-{allocator}', **sizes, **device, **settings}


def pytorch(conf, total=16 * GIB, fraction=None, policy='bump', **settings):
    device = {'total': total, 'fraction': fraction, 'policy': policy, 'gap': 2 * MIB, 'align': 2 * MIB}
    return {'k': 'cfg', 'allocator': 'pytorch', 'conf': conf, **device, **settings}


TOUCHING = {'coalesce_regions': 1, 'gap': 0, 'align': 256}
OVER_POOL = {'over': 'pool', 'initial_pool_size': 64 * MIB}
BINS = {'over': 'device', 'bins': [[256, 128], [1000, 64], [8192, 32], [65536, 16]]}
# One trace's name -> label of a configuration -> the configuration.
CONFIGURATIONS = {
    'wide': {
        'bfc-growth': bfc(16 * GIB),
        'bfc-whole': bfc(2 * GIB, allow_growth=0),
        'bfc-collect': bfc(256 * MIB, garbage_collection=1, devcap=200 * MIB, policy='firstfit'),
        'bfc-touching': bfc(384 * MIB, garbage_collection=1, **TOUCHING),
        'bfc-fraction': bfc(1 * GIB, fragmentation_fraction=0.01, policy='desc'),
        'rmm-pool': rmm('pool'),
        'rmm-pool-refused': rmm('pool', total=192 * MIB),
        'rmm-arena': rmm('arena', arena_size=320 * MIB),
        'pt': pytorch(''),
        'pt-split': pytorch('max_split_size_mb:24,max_non_split_rounding_mb:30', total=288 * MIB, policy='firstfit'),
        'pt-collect': pytorch('garbage_collection_threshold:0.6', total=400 * MIB, fraction=0.9),
        'pt-expand': pytorch('expandable_segments:True', total=320 * MIB),
    },
    'narrow': {
        'bfc-growth': bfc(16 * GIB),
        'rmm-binning': rmm('binning', **BINS),
        'rmm-binning-pool': rmm('binning', **{**BINS, **OVER_POOL}),
        'rmm-fixed': rmm('fixed', over='device', block_size=65000, blocks_to_preallocate=20),
        'rmm-fixed-pool': rmm('fixed', **OVER_POOL, block_size=65536, blocks_to_preallocate=7),
        'pt-divisions': pytorch('roundup_power2_divisions:8'),
    },
    'crowded': {
        'bfc-tight': bfc(96 * MIB),
        'rmm-pool-limit': rmm('pool', maximum_pool_size=128 * MIB, initial_pool_size=16 * MIB),
        'rmm-arena-tight': rmm('arena', arena_size=80 * MIB),
        'pt-desc': pytorch('roundup_power2_divisions:[1:4,4:2,>:8]', policy='desc'),
    },
    'streams': {
        'rmm-pool': rmm('pool', total=256 * MIB, initial_pool_size=8 * MIB),
        'rmm-arena': rmm('arena', arena_size=200 * MIB),
        'pt': pytorch(''),
        'pt-tight': pytorch('', total=160 * MIB),
        'pt-expand-tight': pytorch('expandable_segments:True', total=128 * MIB),
    },
    'stamped': {
        'bfc-growth': bfc(16 * GIB, timing=1),
        'bfc-whole-tight': bfc(32 * MIB, allow_growth=0, timing=1),
        'bfc-touching': bfc(48 * MIB, timing=1, **TOUCHING),
    },
    'limited': {
        'pt-fraction': pytorch('garbage_collection_threshold:0.5', total=512 * MIB, fraction=0.8),
        'pt-expand': pytorch('expandable_segments:True', total=512 * MIB),
    },
    'training': {
        'bfc-growth': bfc(16 * GIB),
        'rmm-pool': rmm('pool'),
        'pt': pytorch(''),
        'pt-expand': pytorch('expandable_segments:True,roundup_power2_divisions:4'),
    },
    'pools': {
        'pt': pytorch('', pools=1),
        'pt-tight': pytorch('max_split_size_mb:32', total=320 * MIB, pools=1),
    },
    'mini-edges': {
        'bfc-collect': bfc(64 * MIB, garbage_collection=1),
        'rmm-pool': rmm('pool', total=64 * MIB),
        'rmm-arena': rmm('arena', arena_size=48 * MIB),
        'pt-tight': pytorch('', total=96 * MIB),
    },
}


def packed(text):
    return gzip.compress(text.encode(), compresslevel=9, mtime=0)


def main():
    (TARGET / 'traces').mkdir(parents=True, exist_ok=True)
    for old in TARGET.glob('**/*.gz'):
        old.unlink()
    for trace in TRACES:
        text = trace.text()
        file = TARGET / 'traces' / f'{trace.name}.trace.gz'
        file.write_bytes(packed(text))
        named = {'trace': file.name, 'trace_sha256': hashlib.sha256(text.encode()).hexdigest(), 'light': False}
        for label, settings in CONFIGURATIONS[trace.name].items():
            with tempfile.NamedTemporaryFile('w', suffix='.json') as line:
                line.write(json.dumps({**settings, **named}, separators=(',', ':')))
                line.flush()
                output = subprocess.run([*COMMAND, str(file), '--config', line.name], capture_output=True, check=False)
            if output.returncode != 0:
                raise SystemExit(f'{trace.name}-{label}: {output.stderr.decode()}')
            (TARGET / f'{trace.name}-{label}.jsonl.gz').write_bytes(packed(output.stdout.decode()))
            totals = json.loads(output.stdout.splitlines()[-1])
            print(f'{trace.name}-{label}: {totals["ops"]} operations, {totals["oom"]} refused')


if __name__ == '__main__':
    main()
