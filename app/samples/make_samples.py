#!/usr/bin/env python3
"""Writes the sample captures that ship with the application, beside this file.

    python3 app/samples/make_samples.py

They are made up, but in every detail as PyTorch would have recorded them: programs.py plays two programs on the
allocator of allocator.py, recorder.py keeps what a snapshot keeps. The result is always the same.
"""

import pathlib
import random

from allocator import Allocator, MIB
from programs import Chat, Training
from recorder import Frames, Recorder, write

GIB = 1024 * MIB
FOLDER = pathlib.Path(__file__).resolve().parent


def training_step():
    """The first step of a training run, recorded from the second line on: memory climbs to the end."""
    recorder = Recorder(seed=1, version=(2, 6))
    allocator = Allocator(recorder, total=24 * GIB)
    training = Training(allocator, Frames())
    recorder.is_on = True
    training.step(0, length=512)
    write(FOLDER / "training-step.pickle.gz", allocator, recorder)


def expandable_segments():
    """Two steps of different length with expandable segments, and the cache given back in between."""
    recorder = Recorder(seed=2, version=(2, 6))
    allocator = Allocator(recorder, total=24 * GIB, is_expandable=True)
    training = Training(allocator, Frames())
    recorder.is_on = True
    training.step(0, length=384)
    allocator.empty_cache(training.frames.stack(("empty_cache", "/home/dev/minigpt/train.py", 70)))
    training.step(1, length=640)
    write(FOLDER / "expandable-segments.pickle.gz", allocator, recorder)


def out_of_memory():
    """A chat server runs until a request fails, although more than enough is free, in holes that are too small."""
    recorder = Recorder(seed=3, version=(2, 10))
    allocator = Allocator(recorder, total=22 * GIB)
    chat = Chat(allocator, Frames())
    recorder.is_on = True
    chat.serve_until_full(random.Random(3))
    write(FOLDER / "out-of-memory.pickle.gz", allocator, recorder)


if __name__ == "__main__":
    training_step()
    expandable_segments()
    out_of_memory()
