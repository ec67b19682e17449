"""Seeds of the formats that are one protobuf message, for make_corpus.py; encoded by the field numbers of
native/capture/protobuf. Each begins with the byte by which protobuf_fuzz picks a reader."""


def varint(value):
    value &= (1 << 64) - 1
    out = b''
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, content):
    content = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(content)) + content


def xspace():
    names = ['allocator_name', 'addr', 'requested_bytes', 'allocation_bytes', 'bytes_allocated', 'tf_op', 'shape']

    def event(kind, at, address, size):
        stats = text(4, number(1, 1) + text(5, 'GPU_0_bfc')) + text(4, number(1, 6) + number(7, 7))
        for row, value in ((2, address), (3, size - 8), (4, size), (5, size)):
            stats += text(4, number(1, row) + number(4, value))
        return text(4, number(1, kind) + number(2, at) + stats)

    line = text(2, 'w') + number(3, 1_700_000_000_000_000_000) + event(1, 1000, 4096, 256) + event(2, 9000, 4096, 256)
    tables = b''.join(text(4, number(1, row) + text(2, number(1, row) + text(2, name)))
                      for row, name in ((1, 'MemoryAllocation'), (2, 'MemoryDeallocation')))
    tables += b''.join(text(5, number(1, row + 1) + text(2, number(1, row + 1) + text(2, name)))
                       for row, name in enumerate(names))
    steps = text(3, text(2, 'Steps') + text(4, number(1, 1) + number(2, 5) + number(3, 900)))
    return text(1, text(2, '/host:CPU') + text(3, line) + tables) + text(1, text(2, '/device:GPU:0') + steps)


def memory_dump():
    used = text(3, number(1, 4096) + number(2, 512) + number(3, 500) + number(4, -1) + text(5, 'MatMul') + number(8, 1))
    free = text(3, number(1, 4608) + number(2, 256) + number(4, 2) + number(6, 3))
    return text(1, 'GPU_0_bfc') + text(2, number(1, 0)) + used + free + text(5, number(1, 9) + number(2, 512))


def contradictory_dump():
    def chunk(address, size, used):
        return text(3, number(1, address) + number(2, size) + number(3, size) + number(8, used))

    chunks = chunk(4096, 512, 1) + chunk(4352, 512, 1) + chunk(4608, 1024, 0) + chunk(4608, 256, 1) + chunk(4608, 256, 1)
    return text(1, 'GPU_0_bfc') + chunks + text(5, number(2, 768))


def pprof():
    texts = ['', 'allocations', 'count', 'space', 'bytes', 'device', 'cuda:0', 'kind', 'buffer', 'f', 'a.py']
    sample = text(2, text(1, b'\x01') + text(2, varint(3) + varint(4096)) + text(3, number(1, 5) + number(2, 6)))
    code = text(4, number(1, 1) + text(4, number(1, 1) + number(2, 42))) + text(5, number(1, 1) + number(2, 9) + number(4, 10))
    types = text(1, number(1, 1) + number(2, 2)) + text(1, number(1, 3) + number(2, 4))
    return types + sample + code + b''.join(text(6, one) for one in texts)


def hlo():
    instruction = text(2, text(1, 'dot.1') + text(2, 'dot') + text(7, text(2, 'jit/dot') + text(3, 'm.py') + number(4, 7)) + number(35, 5))
    module = text(1, text(1, 'jit_f') + text(3, text(1, 'main') + instruction))

    def heap(kind, buffer, shared=0):
        return text(1, number(1, kind) + number(2, buffer) + text(3, 'main') + text(4, 'dot.1') + number(5, shared))

    buffers = b''.join(text(1, number(1, row) + number(2, 512) + text(3, number(4, 5))) for row in (1, 2))
    allocation = text(3, number(1, 0) + number(2, 1024) + text(9, number(1, 1) + number(3, 512)) + text(9, number(1, 2) + number(2, 512) + number(3, 512)))
    trace = text(4, heap(0, 1) + heap(2, 2, 1) + heap(1, 1) + heap(1, 2) + number(3, 0))
    return module + text(3, buffers + allocation + trace)


MESSAGES = {
    'message.xspace': b'\x00' + xspace(),
    'message.dump': b'\x01' + memory_dump(),
    'message.dump-contradicts': b'\x01' + contradictory_dump(),
    'message.pprof': b'\x02' + pprof(),
    'message.hlo': b'\x03' + hlo(),
    'message.any': b'\x04' + xspace(),
}
MESSAGE_WORDS = ['MemoryAllocation', 'MemoryDeallocation', 'allocator_name', 'addr', 'bytes_allocated', 'requested_bytes',
                 'allocation_bytes', 'bytes_available', 'tf_op', 'Steps', '/host:CPU', 'GPU_0_bfc', 'space', 'allocations']
