import { describe, expect, it } from 'vitest';
import { foldStack, stackText } from '../../../renderer/frame/inspector/stack.tsx';

const frame = (name: string, isFolded: boolean) => ({ name, file: `/src/${name}.py`, line: 3, isFolded });

describe('a stack', () => {
  it('shows the frames of the program and folds each run of others into one entry', () => {
    const entries = foldStack([
      frame('malloc', true),
      frame('empty', true),
      frame('forward', false),
      frame('call', true),
    ]);
    expect(entries.map((entry) => (entry.kind === 'frame' ? entry.frame.name : entry.frames.length))).toEqual(
      [2, 'forward', 1],
    );
  });

  it('is copied whole', () => {
    expect(stackText([frame('malloc', true), { ...frame('forward', false), line: 0 }])).toBe(
      'malloc (/src/malloc.py:3)\nforward (/src/forward.py)',
    );
  });
});
