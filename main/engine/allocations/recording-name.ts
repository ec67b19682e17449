import { statSync } from 'node:fs';
import { fileStamp } from '../recordings-folder.ts';

const LONGEST_PRODUCER = 40;

/** "allocations 2026-11-30 19-23-02 train.py.jsonl" */
export function savedName(producer: string): string {
  return `${stem(producer)}.jsonl`;
}

/** The same with the number of this process, which writes it: "… train.py [4711].jsonl". */
export function unsavedName(producer: string): string {
  return `${stem(producer)} [${process.pid}].jsonl`;
}

function stem(producer: string): string {
  const plain = producer.replace(/[^\p{L}\p{N}._-]+/gu, ' ').trim();
  return `allocations ${fileStamp()} ${plain.slice(0, LONGEST_PRODUCER)}`.trim();
}

/** The name that an unsaved recording gets when it is saved. */
export function withoutProcess(name: string): string {
  return name.replace(/ \[\d+\](?=(?: \d+)?\.jsonl$)/, '');
}

/** Whether the process that wrote an unsaved recording is gone. */
export function isLeft(name: string): boolean {
  const [, pid] = /\[(\d+)\](?: \d+)?\.jsonl$/.exec(name) ?? [];
  return pid !== undefined && Number(pid) !== process.pid && !isAlive(Number(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The path, or the first with a number that is free. */
export function freePath(path: string): string {
  const [, base, ending] = /^(.*?)(\.[^./\\]*)?$/s.exec(path) ?? [];
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? path : `${base} ${number}${ending ?? ''}`;
    if (statSync(candidate, { throwIfNoEntry: false }) === undefined) return candidate;
  }
}
