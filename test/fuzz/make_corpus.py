#!/usr/bin/env python3
"""Makes the starting corpus and the dictionary of the fuzzers, with the standard library only.

usage: make_corpus.py FOLDER
Writes FOLDER/corpus (the small captures of test/fixtures, logs and tables) and a dictionary for each fuzzer: FOLDER/
pytorch.dict (opcodes and words), FOLDER/bfc_log.dict (the words of messages), and those of text_seeds.py.
Then: pytorch_fuzz FOLDER/corpus -dict=FOLDER/pytorch.dict -max_len=65536 -timeout=10 -rss_limit_mb=1024
"""
import os
import re
import subprocess
import sys

from protobuf_seeds import MESSAGE_WORDS, MESSAGES
from text_seeds import TEXTS, TEXT_WORDS

HERE = os.path.dirname(os.path.abspath(__file__))
LARGEST = 65536
OPCODES = [b'\x80\x04', b'\x80\x02', b'\x94', b']\x94(', b'}\x94(', b'e', b'u', b'a', b's', b'h\x00', b'h\x05',
           b'j\x00\x00\x00\x00', b'q\x00', b'r\x00\x00\x00\x00', b'K\x00', b'M\x00\x00', b'J\x00\x00\x00\x00',
           b'\x8a\x06', b'\x8a\x09', b'\x86', b'(lp0\n', b'(dp0\n', b'p0\n', b'g0\n', b'I1\n', b'0', b'1', b'2', b'.']


def words():
    """Every word of native/capture/keywords.cc, as a short pickled string and in quotes."""
    with open(os.path.join(HERE, '../../native/capture/keywords.cc'), encoding='utf-8') as source:
        table = source.read().split('kTexts = {')[1].split('};')[0]
    for word in re.findall(r'"([^"]*)"', table):
        yield b'\x8c' + bytes([len(word)]) + word.encode()
        yield b'"' + word.encode() + b'"'


BFC_DUMP = """{p}Allocator (GPU_0_bfc) ran out of memory trying to allocate 1.50MiB (rounded to 1572864)requested by op a/b
{p}BFCAllocator dump for GPU_0_bfc
{p}Bin (1048576): \tTotal Chunks: 2, Chunks in use: 1. 2.00MiB allocated for chunks. 1.00MiB in use in bin. 1.00MiB client-requested in use in bin.
{p}Bin for 1.50MiB was 1.00MiB, Chunk State:
{p}Next region of size 4194304
{p}InUse at {x}7f5936000000{before} of size 1048576{after}
{p}Free  at {x}7f5936100000{before} of size 1048576{after}
{p}InUse at {x}7f5936200000{before} of size 2097152{after}
{p}     Summary of in-use Chunks by size:
{p}1 Chunks of size 1048576 totalling 1.00MiB
{p}Sum Total of in-use chunks: 3.00MiB
{p}Total bytes in pool: 4194304 memory_limit_: 4194304 available bytes: 0 curr_region_allocation_bytes_: 8388608
{p}Stats:
Limit:                       4194304
InUse:                       3145728

{p}*************************_________________________**************************************************
"""
BFC_EVENTS = """Extending allocation by 2.00MiB bytes for GPU_0_bfc.
Allocated memory at 0x10000000 to 0x10200000
AllocateRaw GPU_0_bfc  1000 0x10000000
[mem-debug] AllocateRaw,GPU_0_bfc,1000,0x10000000,*** Begin stack trace ***
\ttensorflow::MatMulOp::Compute()
*** End stack trace ***
[mem-debug] AllocateRaw,GPU_0_bfc,300,0x10000400,
DeallocateRaw GPU_0_bfc 1000
[mem-debug] DeallocateRaw,GPU_0_bfc,1000,0x10000000,
Garbage collection: deallocate free memory regions
"""
BFC_ASYNC = """gpu_async_0 cuMemAllocAsync failed to allocate 5000000 bytes: out of memory
 Reported by CUDA: Free memory/Total memory: 1000/16000
Stats: 
Limit: 9000

Histogram of current allocation: (allocation_size_in_bytes, nb_allocation_of_that_sizes), ...;
256, 3
CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT: 4096
"""


def bfc_logs():
    """The shapes that dumps took over the years, events of both verbosities, and the async allocator."""
    stamp = '2024-07-12 14:20:01.744246: I tensorflow/tsl/framework/bfc_allocator.cc:1095] '
    yield BFC_DUMP.format(p=stamp, x='', before='', after=' next 2')
    yield BFC_DUMP.format(p='', x='0x', before='', after='').replace('InUse', 'Chunk')
    yield BFC_DUMP.format(p=stamp, x='', before=' next 2', after='').replace('\n', '\r\n')
    yield BFC_DUMP.format(p=stamp, x='', before='', after=' tag lower next 2 freed_at_count 7')
    yield BFC_EVENTS
    yield BFC_EVENTS + BFC_DUMP.format(p='', x='', before='', after=' next 2')
    yield BFC_ASYNC


def write_dictionary(path, entries):
    with open(path, 'w', encoding='ascii') as out:
        for entry in entries:
            out.write('"' + ''.join(f'\\x{byte:02x}' for byte in entry) + '"\n')


def main():
    folder = sys.argv[1]
    corpus = os.path.join(folder, 'corpus')
    subprocess.run([sys.executable, os.path.join(HERE, '../fixtures/make_captures.py'), corpus], check=True)
    for name in os.listdir(corpus):
        path = os.path.join(corpus, name)
        if os.path.getsize(path) > LARGEST:
            os.remove(path)
    for at, log in enumerate(bfc_logs()):
        with open(os.path.join(corpus, f'bfc-{at}.log'), 'w', encoding='ascii', newline='') as out:
            out.write(log)
    phrases = sorted({word for log in bfc_logs() for word in re.findall(r'[A-Za-z][A-Za-z ._\[\]-]{4,}', log)})
    with open(os.path.join(folder, 'bfc_log.dict'), 'w', encoding='ascii') as out:
        out.writelines(f'"{word}"\n' for word in phrases)
    for name, text in TEXTS.items():
        with open(os.path.join(corpus, name), 'w', encoding='utf-8', newline='') as out:
            out.write(text)
    for name, message in MESSAGES.items():
        with open(os.path.join(corpus, name), 'wb') as out:
            out.write(message)
    write_dictionary(os.path.join(folder, 'protobuf.dict'), [word.encode() for word in MESSAGE_WORDS])
    write_dictionary(os.path.join(folder, 'pytorch.dict'), [*OPCODES, *words()])
    for name, texts in TEXT_WORDS.items():
        write_dictionary(os.path.join(folder, f'{name}.dict'), [text.encode() for text in texts])


if __name__ == '__main__':
    main()
