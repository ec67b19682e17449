import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EndpointChoice } from '../../../../main/engine/allocations/endpoint.ts';
import { Listener, type ListenerOptions } from '../../../../main/engine/allocations/listener.ts';

/** A program that streams, as a test writes it: lines out, answers in. */
export class Program {
  readonly answers: Record<string, unknown>[] = [];
  readonly socket: Socket;
  isClosed = false;
  #rest = '';
  #waiting: (() => void)[] = [];

  constructor(address: string) {
    const [kind, ...rest] = address.split(':');
    this.socket =
      kind === 'unix' ? connect(rest.join(':')) : connect({ host: rest[0] ?? '', port: Number(rest[1]) });
    this.socket.on('data', (chunk) => this.#take(String(chunk)));
    this.socket.on('error', () => {});
    this.socket.on('close', () => {
      this.isClosed = true;
      this.#wake();
    });
  }

  write(text: string): void {
    this.socket.write(text);
  }

  send(...lines: readonly object[]): void {
    this.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }

  hello(more: object = {}): void {
    this.send({ strata: 'allocations', version: 1, producer: 'a test', pid: 7, ...more });
  }

  /** The answer with that word, as soon as it is there. */
  async answer(word: string): Promise<Record<string, unknown>> {
    const find = () => this.answers.find((answer) => answer['strata'] === word);
    await this.#until(() => find() !== undefined || this.isClosed);
    const found = find();
    if (found === undefined) throw new Error(`closed without "${word}": ${JSON.stringify(this.answers)}`);
    return found;
  }

  async closed(): Promise<void> {
    await this.#until(() => this.isClosed);
  }

  async #until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    this.answers.push(...lines.map((line) => JSON.parse(line) as Record<string, unknown>));
    this.#wake();
  }

  #wake(): void {
    for (const waiting of this.#waiting.splice(0)) waiting();
  }
}

export interface TestListener {
  readonly listener: Listener;
  readonly folder: string;
  readonly program: () => Program;
  close(): Promise<void>;
}

/** A listener in a folder of its own, in which the recordings are "1.jsonl", "2.jsonl", … */
export async function startTestListener(
  options: Partial<ListenerOptions> & { readonly endpoint?: EndpointChoice } = {},
): Promise<TestListener> {
  const folder = mkdtempSync(join(tmpdir(), 'strata-listen-'));
  let count = 0;
  const listener = await Listener.start({
    endpoint: { socket: join(folder, 's') },
    limitBytes: 1e9,
    pathFor: () => join(folder, `${++count}.jsonl`),
    ...options,
  });
  const programs: Program[] = [];
  return {
    listener,
    folder,
    program: () => {
      const program = new Program(listener.address);
      programs.push(program);
      return program;
    },
    close: async () => {
      for (const program of programs) program.socket.destroy();
      await listener.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Until it is so; a test that waits in vain ends by its own time limit. */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 2));
}

export const alloc = (number: number, bytes = 512) => ({
  action: 'alloc',
  time_us: number,
  address: 4096 * (number + 1),
  bytes,
});
