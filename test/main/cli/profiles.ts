/** Encodes JAX device memory profiles (pprof), field by field. */

type Part = number[];

function varint(value: number): Part {
  const bytes: Part = [];
  let left = value;
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) + 128);
  return [...bytes, left];
}

const number = (field: number, value: number): Part => [...varint(field * 8), ...varint(value)];
const message = (field: number, parts: readonly Part[]): Part => {
  const bytes = parts.flat();
  return [...varint(field * 8 + 2), ...varint(bytes.length), ...bytes];
};
const text = (field: number, words: string): Part => message(field, [[...Buffer.from(words)]]);

export interface ProfileSample {
  /** Functions, innermost first; each stands in "train.py", at the line of its first letter. */
  readonly stack: readonly string[];
  readonly bytes: number;
  readonly buffers: number;
  readonly device?: string;
}

/** A profile as `jax.profiler.save_device_memory_profile` writes it, before gzip. */
export function memoryProfile(samples: readonly ProfileSample[]): Uint8Array {
  const texts = ['', 'allocations', 'count', 'space', 'bytes', 'device', 'train.py'];
  const rowOf = (words: string) => {
    if (!texts.includes(words)) texts.push(words);
    return texts.indexOf(words);
  };
  const functions = [...new Set(samples.flatMap(({ stack }) => stack))];
  const parts: Part[] = [
    message(1, [number(1, 1), number(2, 2)]),
    message(1, [number(1, 3), number(2, 4)]),
    ...samples.map(({ stack, bytes, buffers, device = 'cuda:0' }) =>
      message(2, [
        ...stack.map((name) => number(1, functions.indexOf(name) + 1)),
        number(2, buffers),
        number(2, bytes),
        message(3, [number(1, 5), number(2, rowOf(device))]),
      ]),
    ),
    ...functions.flatMap((name, row) => [
      message(4, [number(1, row + 1), message(4, [number(1, row + 1), number(2, name.charCodeAt(0))])]),
      message(5, [number(1, row + 1), number(2, rowOf(name)), number(4, 6)]),
    ]),
  ];
  return Uint8Array.from([...parts, ...texts.map((words) => text(6, words))].flat());
}
