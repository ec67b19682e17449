#!/usr/bin/env python3
"""Makes the large captures that `npm run bench` opens: one of each format that is not PyTorch's snapshot.

usage: make_records.py KIND FILE [SCALE]     KIND: kineto, rmm, tensorflow, nsight
SCALE 1 is the size that the goals are stated for: 1.5 million memory events in 400 MB, 10 million rows, 1 GB of log
with one dump, 2 million rows.
"""
import os
import random
import sqlite3
import sys

GIB = 1 << 30


def lives(count, seed=7, live_most=4000):
    """A program that allocates and frees: (is_free, address, bytes), blocks of the same size reuse their addresses."""
    rng = random.Random(seed)
    sizes = [512 << (i % 14) for i in range(64)]
    spare = [[] for _ in sizes]
    live = []
    top = 0x7F_0000_0000
    for _ in range(count):
        if len(live) >= live_most or (live and rng.random() < 0.49):
            at = rng.randrange(len(live))
            kind, address = live[at]
            live[at] = live[-1]
            live.pop()
            spare[kind].append(address)
            yield True, address, sizes[kind]
            continue
        kind = rng.randrange(len(sizes))
        if spare[kind]:
            address = spare[kind].pop()
        else:
            address = top
            top += sizes[kind]
        live.append((kind, address))
        yield False, address, sizes[kind]


def kineto(path, scale):
    """Memory events inside of operators, as PyTorch's profiler writes them since 2022: pretty-printed."""
    events = int(1_500_000 * scale)
    names = ['aten::empty', 'aten::conv2d', 'aten::linear', 'aten::add_', 'aten::layer_norm', 'aten::copy_']
    with open(path, 'w', encoding='ascii', buffering=1 << 20) as out:
        out.write('{\n  "schemaVersion": 1,\n  "deviceProperties": [\n    {"id": 0, "name": "NVIDIA H200", '
                  '"totalGlobalMem": 150754820096}\n  ],\n  "traceEvents": [\n')
        allocated = 0
        for number, (is_free, address, size) in enumerate(lives(events)):
            time = 1000 + number * 3
            allocated += -size if is_free else size
            if number % 24 == 0:
                out.write(f'  {{\n    "ph": "X", "cat": "cpu_op", "name": "{names[number // 24 % 6]}", "pid": 91, '
                          f'"tid": 91,\n    "ts": {time - 1}.250, "dur": 23.125,\n    "args": {{\n      '
                          f'"External id": {number},"Ev Idx": {number}\n    }}\n  }},\n')
            out.write('  {\n    "ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 91, '
                      f'"tid": 91,\n    "ts": {time}.125,\n    "args": {{\n      "Total Reserved": 9000000000, '
                      f'"Total Allocated": {allocated}, "Bytes": {-size if is_free else size}, "Addr": {address}, '
                      '"Device Id": 0, "Device Type": 1, "Ev Idx": 1\n    }\n  },\n')
        out.write('  {\n    "name": "Record Window End", "ph": "i", "s": "g", "pid": "", "tid": "", "ts": 1\n  }\n'
                  '  ],\n  "traceName": "bench"\n}\n')


def rmm(path, scale):
    rows = int(10_000_000 * scale)
    with open(path, 'w', encoding='ascii', buffering=1 << 20) as out:
        out.write('Thread,Time,Action,Pointer,Size,Stream\n')
        for number, (is_free, address, size) in enumerate(lives(rows)):
            micros = number * 7
            seconds = micros // 1_000_000
            clock = f'{seconds // 3600 % 24:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{micros % 1_000_000:06}'
            action = 'free' if is_free else 'allocate'
            out.write(f'140213{number % 3},{clock},{action},0x{address:x},{size},0x{number % 2}\n')


def tensorflow(path, scale):
    """A gigabyte of training output with one dump in the middle of it."""
    total = int(1_000_000_000 * scale)
    prefix = '2024-07-11 09:13:05.123456: I external/local_tsl/tsl/framework/bfc_allocator.cc:1099] '
    progress = ' 1871/50000 [>.............................] - ETA: 3:12:09 - loss: 2.1713 - accuracy: 0.3377\r'
    line = 'INFO:root:step 120133 loss=0.1733 learning rate 1e-4, 12.7 examples/second, nothing else to say here\n'
    filler = (progress * 4 + '\n' + line * 20) * 500
    with open(path, 'w', encoding='ascii', buffering=1 << 20) as out:
        while out.tell() < total // 2:
            out.write(filler)
        chunks = [(0x7F_0000_0000 + i * 65536, i % 3 != 2) for i in range(50_000)]
        out.write(f'{prefix}BFCAllocator dump for GPU_0_bfc\n{prefix}Next region of size {50_000 * 65536}\n')
        for address, is_used in chunks:
            out.write(f'{prefix}{"InUse" if is_used else "Free "} at {address:x} of size 65536 next {address % 977}\n')
        out.write(f'{prefix}     Summary of in-use Chunks by size: \n')
        while out.tell() < total:
            out.write(filler)


USAGE = """start INTEGER NOT NULL, globalPid INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL,
    address INTEGER NOT NULL, pc INTEGER NOT NULL, bytes INTEGER NOT NULL, memKind INTEGER NOT NULL,
    memoryOperationType INTEGER NOT NULL, name TEXT, correlationId INTEGER, streamId INTEGER,
    localMemoryPoolAddress INTEGER, localMemoryPoolReleaseThreshold INTEGER, localMemoryPoolSize INTEGER,
    localMemoryPoolUtilizedSize INTEGER, importedMemoryPoolAddress INTEGER, importedMemoryPoolProcessId INTEGER"""


def nsight(path, scale):
    """As many API calls as memory events, and as many again that took no memory."""
    rows = int(2_000_000 * scale)
    process = 281475101753344
    if os.path.exists(path):
        os.remove(path)
    database = sqlite3.connect(path)
    database.execute('PRAGMA journal_mode = OFF')
    database.execute('PRAGMA synchronous = OFF')
    database.execute('CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)')
    database.executemany('INSERT INTO StringIds VALUES (?, ?)', enumerate(
        ['cudaMalloc_v3020', 'cudaFree_v3020', 'cudaMallocAsync_v11020', 'cudaLaunchKernel_v7000']))
    database.execute('CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, '
                     'eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, '
                     'returnValue INTEGER NOT NULL, callchainId INTEGER)')
    database.executemany('INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 0, ?, ?, ?, 0, NULL)', (
        (1_000_000 + 700 * i, 1_000_500 + 700 * i, process + 91, i + 1, 3 if i % 2 else i // 2 % 3)
        for i in range(2 * rows)))
    database.execute(f'CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS ({USAGE})')
    database.executemany(
        'INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (?, ?, 0, 1, ?, 0, ?, 2, ?, NULL, ?, 7, ?, ?, ?, ?, NULL, NULL)', (
            (1_000_100 + 1400 * number, process, address, size, int(is_free), 2 * number + 1,
             *((0x5000, GIB, 4 * GIB, GIB + number % 1000) if number % 2 else (None,) * 4))
            for number, (is_free, address, size) in enumerate(lives(rows))))
    database.commit()
    database.close()


def main():
    kinds = {'kineto': kineto, 'rmm': rmm, 'tensorflow': tensorflow, 'nsight': nsight}
    kind, path = sys.argv[1:3]
    kinds[kind](path, float(sys.argv[3]) if len(sys.argv) > 3 else 1.0)


if __name__ == '__main__':
    main()
