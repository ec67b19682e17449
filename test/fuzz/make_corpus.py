#!/usr/bin/env python3
"""Makes the starting corpus and the dictionary of the fuzzers, with the standard library only.

usage: make_corpus.py FOLDER
Writes FOLDER/corpus (the small captures of test/fixtures) and FOLDER/pytorch.dict (opcodes and words).
Then: pytorch_fuzz FOLDER/corpus -dict=FOLDER/pytorch.dict -max_len=65536 -timeout=10 -rss_limit_mb=1024
"""
import os
import re
import subprocess
import sys

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


def main():
    folder = sys.argv[1]
    corpus = os.path.join(folder, 'corpus')
    subprocess.run([sys.executable, os.path.join(HERE, '../fixtures/make_captures.py'), corpus], check=True)
    for name in os.listdir(corpus):
        path = os.path.join(corpus, name)
        if os.path.getsize(path) > LARGEST:
            os.remove(path)
    with open(os.path.join(folder, 'pytorch.dict'), 'w', encoding='ascii') as out:
        for entry in [*OPCODES, *words()]:
            out.write('"' + ''.join(f'\\x{byte:02x}' for byte in entry) + '"\n')


if __name__ == '__main__':
    main()
