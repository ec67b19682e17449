"""Seeds and words of the formats that are CSV, JSON lines or JSON, for make_corpus.py."""


def stats(heap):
    return ('{"stackReservedBytes":"0","heapAllocatedBytes":"%d","freeMemoryBytes":"9","fragmentation":0.5,'
            '"peakBytesInUse":"900"}' % heap)


def activity(kind, size):
    return ('{"memoryActivity":"%s","requestedBytes":"1","allocationBytes":"%d","address":"4096","tfOpName":"a/b",'
            '"stepId":"2","regionType":"temp","dataType":"float","tensorShape":"[2]"}' % (kind, size))


def snapshot(time, heap, kind, size):
    return ('{"timeOffsetPs":"%d000","aggregationStats":%s,"activityMetadata":%s}'
            % (time, stats(heap), activity(kind, size)))


def bfc_dump(chunks, region=4096, in_use=1024):
    """A dump at 0x1000 on, whose chunks may contradict each other: (in use, address, size)."""
    lines = ['Allocator (GPU_0_bfc) ran out of memory trying to allocate 1.0KiB (rounded to 1024)', 'BFCAllocator dump for GPU_0_bfc',
             'Bin (256): \tTotal Chunks: 2, Chunks in use: 1. 512B allocated for chunks. 256B in use in bin. 9B client-requested in use in bin.',
             'Next region of size %d' % region]
    lines += ['%s at %x of size %d next 1' % ('InUse' if used else 'Free ', address, size) for used, address, size in chunks]
    lines += ['Sum Total of in-use chunks: 1.0KiB', 'Total bytes in pool: %d memory_limit_: 8192 available bytes: 0 curr_region_allocation_bytes_: 0' % region,
              'Stats: ', 'Limit: 8192', 'InUse: %d' % in_use, '', '_' * 100, '']
    return '\n'.join(lines)


def bfc_extend(start, end):
    return 'Extending allocation by 1B bytes for GPU_0_bfc.\nAllocated memory at 0x%x to 0x%x\n' % (start, end)


def bfc_alloc(address, size):
    return '[mem-debug] AllocateRaw,GPU_0_bfc,%d,0x%x,s\n' % (size, address)


def bfc_free(address, size):
    return '[mem-debug] DeallocateRaw,GPU_0_bfc,%d,0x%x,s\n' % (size, address)


WHOLE = [(True, 0x1000, 1024), (False, 0x1400, 1024), (True, 0x1800, 512), (False, 0x1A00, 1536)]

# Seeds of formats that are text: file name -> content.
TEXTS = {
    'rmm-today.csv': 'Thread,Time,Action,Pointer,Size,Stream\n'
                     '7,23:59:59.841961,allocate,0x10012400000,1048576,0\n'
                     '8,00:00:02.841977,allocate failure,(nil),99999999999,0x2\n'
                     '7,00:00:03.841977,free,0x10012400000,1048576,0\n',
    'rmm-2020.csv': 'Time,Action,Pointer,Size,Stream\n10:00:00:000001,allocate,0x1000,10,0x0\n'
                    '23,10:00:00:000002,free,0x1000,10,0x0\n',
    'rmm-legacy.csv': 'Event Type,Device ID,Address,Stream,Size (bytes),Free Memory,Total Memory,Current Allocs,'
                      'Start,End,Elapsed,Location\n'
                      'Alloc,0,0x7f4b99a00000,0,10,1048064,1048576,1,13.8011,13.8011,3.711e-06,a/shell.py:3331\n'
                      'Free,0,0x7f4b99a00000,0,0,1048576,1048576,0,14.8,14.8,1e-06,a/shell.py:3332\n',
    'rmm-executor.log': '24/01/02 INFO Executor: Running\r\n[x] 19,14:21:19.99,allocate,0x30a000000,256,0x2 (y)\r\n',
    'generic.csv': '# producer = pool\n# limit = 1\n'
                   'action,time_us,device,address,bytes,requested,stream,stack,label,region,device_free\n'
                   'segment_alloc,10,cuda:1,0x10000,4096,,0,,,virtual,\n'
                   'alloc,11.5,cuda:1,0x10000,512,500,7,f (a.py:3);b.py:4,"w, ""x""",,\n'
                   'free,13,cuda:1,0x10000,,,,,,,\nfree,14,cuda:1,0x10200,64,,,,,,\n'
                   'oom,14,cuda:1,,100000,,,,,,77\nsegment_free,15,cuda:1,0x10000,4096,,0,,,,\n'
                   'begin,16,host,,,,,,step,,\nend,17,host,,,,,,,,\nmarker,18,host,,,,,,m,,\n',
    'generic-totals.csv': 'action,bytes\nalloc,100\nfree,40\nfree,100\n',
    'generic-live.jsonl': '# recorded = live\n# sizes = estimated\n'
                          '{"action":"segment_held","address":4096,"bytes":8192,"region":"virtual"}\n'
                          '{"action":"segment_alloc","address":12288,"bytes":4096,"region":"virtual","time_us":1}\n'
                          '{"action":"held","address":8192,"bytes":512,"requested":500}\n'
                          '{"action":"alloc","address":11264,"bytes":2048}\n{"action":"gap","dropped":7,"label":"x"}\n'
                          '{"action":"free_requested","address":8192}\n{"action":"free","address":8192}\n'
                          '{"action":"segment_free","address":8192,"bytes":6144,"region":"virtual"}\n# ended = x\n',
    'generic.jsonl': '{"action": "alloc", "time": 1e0, "address": 4096, "bytes": 64, "stack": ["f (a.py:1)", "m"]}\n'
                     '{"action": "free", "time": 1.5, "address": "0x1000", "bytes": null, "x": {"y": [1]}}\n',
    'bfc-whole.log': bfc_dump(WHOLE),
    'bfc-overlapping-chunks.log': bfc_dump([(True, 0x1000, 1024), (True, 0x1200, 2048), *WHOLE[1:]]),
    'bfc-chunk-beyond-region.log': bfc_dump([*WHOLE[:3], (True, 0x1A00, 4096)]),
    'bfc-listed-twice.log': bfc_dump([WHOLE[0], *WHOLE]) + bfc_dump(WHOLE),
    'bfc-regions-contradict.log': bfc_extend(0x1000, 0x2000) + bfc_alloc(0x1100, 256) + bfc_alloc(0x1F00, 512)
                                  + bfc_extend(0x1800, 0x2800) + bfc_alloc(0x1000, 512) + bfc_free(0x1100, 256),
    'bfc-events-and-damaged-dump.log': bfc_alloc(0xF00, 512) + bfc_free(0x5000, 256) + bfc_extend(0x1000, 0x2000)
                                       + bfc_alloc(0x1000, 1024) + bfc_alloc(0x1800, 512) + bfc_dump([WHOLE[0], WHOLE[3]])
                                       + bfc_free(0x1800, 512) + bfc_dump(WHOLE) + bfc_alloc(0x1400, 256),
    'bfc-coalesced-regions.log': bfc_extend(0x1000, 0x1400) + bfc_extend(0x1400, 0x2000) + bfc_alloc(0x1200, 1024)
                                 + 'Garbage collection: deallocate free memory regions\n' + bfc_free(0x1200, 1024)
                                 + 'Garbage collection: deallocate free memory regions\n',
    'kineto.json': '{"schemaVersion":1,"deviceProperties":[{"id":0,"name":"T","totalGlobalMem":9}],'
                   '"distributedInfo":{"backend":"nccl","rank":3},"baseTimeNanoseconds":1700000000000000000,'
                   '"traceEvents":[{"ph":"X","cat":"cpu_op","name":"aten::zeros","pid":1,"tid":"7","ts":10,"dur":20,'
                   '"args":{"Call stack":"a b.py(611): f;c\\/d.py(54): <module>"}},'
                   '{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":7,"ts":1,"dur":90},'
                   '{"ph":"i","s":"t","name":"[memory]","pid":1,"tid":7,"ts":12.5,"args":{"Device Type":1,"Device Id":0,'
                   '"Bytes":512,"Addr":4096,"Total Allocated":512,"Total Reserved":2097152}},'
                   '{"ph":"i","s":"t","name":"[memory]","pid":1,"tid":7,"ts":13,"args":{"Device Type":1,"Device Id":0,'
                   '"Bytes":-512,"Addr":4096}},'
                   '{"ph":"C","name":"GPU","pid":4,"ts":12,"args":{"used":5}},'
                   '{"ph":"i","name":"[OutOfMemory]","ts":14,"args":{"Device Type":1,"Device Id":0,"Bytes":99}}]}',
    'kineto-2021.json': '[{"ph":"i","s":"t","name":"[memory]","pid":1,"tid":1,"ts":1623143093496534,'
                        '"args":{"Device Type":0,"Device Id":-1,"Bytes":4}},\n'
                        '{"ph":"i","name":"[memory]","ts":1623143093496603,"args":{"Device Type":0,"Device Id":-1,'
                        '"Bytes":-4}}\n',
    'memory-profile.json': '{"memoryProfilePerAllocator":{"GPU_0_bfc":{"memoryProfileSnapshots":['
                           + snapshot(1, 900, 'ALLOCATION', 300) + '],"profileSummary":{"peakStats":' + stats(900)
                           + ',"peakStatsTimePs":"1000","memoryCapacity":"4096"},"activeAllocations":['
                             '{"snapshotIndex":"0","specialIndex":"-1","numOccurrences":"2"},'
                             '{"snapshotIndex":"-1","specialIndex":"0","numOccurrences":"1"}],"specialAllocations":['
                           + activity('ALLOCATION', 300) + '],"sampledTimelineSnapshots":['
                           + snapshot(1, 900, 'ALLOCATION', 300) + ',' + snapshot(2, 500, 'DEALLOCATION', 9)
                           + ']}},"numHosts":1,"version":1,'
                             '"hloModules":[{"name":"f","startTimePs":"1","endTimePs":"2000"}]}',
    'memory-profile-whole.json': '{"memory_profile_per_allocator":{"0":{"memory_profile_snapshots":['
                                 + snapshot(1, 300, 'ALLOCATION', 300) + ',' + snapshot(2, 0, 'DEALLOCATION', 300) + ']}}}',
    'memory-viewer.json': '{"heapSizes":[1,2,1],"unpaddedHeapSizes":[1],"hloInstructionNames":["a","b",""],'
                          '"maxHeap":[{"label":"s","logicalBufferSizeMib":2,"instructionName":"dot",'
                          '"sourceInfo":{"fileName":"m.py","lineNumber":3}}],"peakHeapSizePosition":0,'
                          '"indefiniteLifetimes":[{"id":"1","sizeMib":1,"attributes":["x"],'
                          '"logicalBuffers":[{"id":"2","sizeMib":1,"hloName":"p"}]}],"bufferBlocks":['
                          '{"logicalBufferId":-1,"offset":0,"size":1048576,"startStep":0,"endStep":2},'
                          '{"logicalBufferId":3,"name":"a","offset":0,"size":1048576,"startStep":0,"endStep":1,'
                          '"tfOpName":"o","category":"Temporary","shapeString":"f32[2]"}]}',
    'memory-viewer-totals.json': '{"heapSizes":[1,2.5,1e0],"maxHeap":[{"logicalBufferSizeMib":2.5,"label":"s"}],'
                                 '"peakHeapSizePosition":0}',
}

# Words of formats that are text, for the fuzzer of that name.
TEXT_WORDS = {
    'rmm': [',allocate,', ',free,', ',allocate failure,', ',deallocate,', '(nil)', '0x', '23:59:59.999999', 'Alloc,',
            'Free,', 'Realloc,', '18446744073709551615'],
    'generic': ['action', 'address', 'bytes', 'requested', 'time_ns', 'stream', 'device', 'region', 'stack', 'label',
                'alloc', 'free', 'segment_alloc', 'segment_free', 'oom', 'marker', 'begin', 'end', '""', '{"', '":'],
    'kineto': ['"ph":"i"', '"ph":"X"', '"ph":"C"', '"[memory]"', '"[OutOfMemory]"', '"args":{', '"Bytes":', '"Addr":',
               '"Device Type":', '"Device Id":', '"Total Allocated":', '"traceEvents":[', '"cat":"cpu_op"',
               '"python_function"', '"user_annotation"', '"Call stack":"', '"dur":', '"ts":', '"tid":'],
    'xprof': ['"memoryProfilePerAllocator":{', '"memoryProfileSnapshots":[', '"sampledTimelineSnapshots":[',
              '"profileSummary":{', '"peakStats":{', '"peakStatsTimePs":', '"activeAllocations":[', '"specialAllocations":[',
              '"snapshotIndex":', '"specialIndex":', '"numOccurrences":', '"heapAllocatedBytes":', '"stackReservedBytes":',
              '"allocationBytes":', '"address":', '"timeOffsetPs":', '"heapSizes":[', '"maxHeap":[',
              '"logicalBufferSizeMib":', '"bufferBlocks":[', '"logicalBufferId":', '"offset":', '"size":', '"startStep":',
              '"endStep":', '"indefiniteLifetimes":[', '"sizeMib":', '"hloInstructionNames":[', '"peakHeapSizePosition":',
              '1e300', '-1'],
}
