import { fileStamp } from '../recordings-folder.ts';

const LONGEST_PRODUCER = 40;

/** "allocations 2026-11-30 19-23-02 train.py [4711].jsonl"; the number is this process, which writes it. */
export function recordingName(producer: string): string {
  const plain = producer.replace(/[^\p{L}\p{N}._-]+/gu, ' ').trim();
  return `allocations ${fileStamp()} ${plain.slice(0, LONGEST_PRODUCER).trim()} [${process.pid}].jsonl`;
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
