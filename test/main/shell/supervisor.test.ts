import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { ClientMessage, EngineMessage } from '../../../app/contract/wire.ts';
import { type EngineProcess, EngineSupervisor, FINISH } from '../../../main/shell/supervisor.ts';

class FakeProcess extends EventEmitter implements EngineProcess {
  readonly received: (ClientMessage | typeof FINISH)[] = [];
  isKilled = false;

  postMessage(message: ClientMessage | typeof FINISH): void {
    this.received.push(message);
  }
  kill(): boolean {
    this.isKilled = true;
    this.emit('exit', 0);
    return true;
  }
  answer(message: EngineMessage): void {
    this.emit('message', message);
  }
}

/** A supervisor whose clock and pauses the test turns by hand. */
function supervised() {
  const processes: FakeProcess[] = [];
  const restarts: number[] = [];
  const pauses: { ms: number; action: () => void }[] = [];
  const clock = { now: 0 };
  const supervisor = new EngineSupervisor({
    fork: () => {
      const child = new FakeProcess();
      processes.push(child);
      return child;
    },
    onRestart: (code) => restarts.push(code),
    after: (ms, action) => pauses.push({ ms, action }),
    now: () => clock.now,
  });
  return {
    supervisor,
    processes,
    restarts,
    pauses,
    clock,
    latest: () => processes.at(-1) as FakeProcess,
    runPause: () => pauses.at(-1)?.action(),
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('the engine’s process', () => {
  it('is started at once and answers calls', async () => {
    const { supervisor, latest } = supervised();
    const result = supervisor.engine.call('list', {});
    await settled();
    expect(latest().received).toEqual([{ type: 'call', id: 1, method: 'list', args: {} }]);
    latest().answer({ type: 'result', id: 1, result: [] });
    expect(await result).toEqual([]);
  });

  it('ends calls under way with "engine-restarted" when it stops', async () => {
    const { supervisor, latest } = supervised();
    const results = [supervisor.engine.call('list', {}), supervisor.engine.call('samples', {})];
    await settled();
    latest().emit('exit', 139);
    for (const result of results) await expect(result).rejects.toMatchObject({ code: 'engine-restarted' });
  });

  it('is restarted without a pause the first time, and the restart is told', async () => {
    const { processes, latest, pauses, restarts, runPause } = supervised();
    latest().emit('exit', 139);
    expect(pauses.map((pause) => pause.ms)).toEqual([0]);
    expect(restarts).toEqual([]);
    runPause();
    expect(processes).toHaveLength(2);
    expect(restarts).toEqual([139]);
  });

  it('lets calls made during the pause wait for the next process', async () => {
    const { supervisor, latest, runPause } = supervised();
    latest().emit('exit', 1);
    const result = supervisor.engine.call('list', {});
    await settled();
    runPause();
    await settled();
    latest().answer({ type: 'result', id: 1, result: [] });
    expect(await result).toEqual([]);
  });

  it('waits longer each time it fails at its start, up to eight seconds', () => {
    const { latest, pauses, runPause } = supervised();
    for (let failure = 0; failure < 9; failure += 1) {
      latest().emit('exit', 1);
      runPause();
    }
    expect(pauses.map((pause) => pause.ms)).toEqual([0, 250, 500, 1000, 2000, 4000, 8000, 8000, 8000]);
  });

  it('is restarted at once again after it has lived for a while', () => {
    const { latest, pauses, runPause, clock } = supervised();
    latest().emit('exit', 1);
    runPause();
    clock.now += 60_000;
    latest().emit('exit', 1);
    expect(pauses.map((pause) => pause.ms)).toEqual([0, 0]);
  });

  it('ends with the application when its recordings have their end, and stays so', async () => {
    const { supervisor, processes, latest, restarts } = supervised();
    const finished = supervisor.finish();
    expect(latest().received).toEqual([FINISH]);
    expect(latest().isKilled).toBe(false);
    latest().emit('exit', 0);
    await finished;
    expect(restarts).toEqual([]);
    expect(processes).toHaveLength(1);
  });

  it('is ended when it does not end by itself, and holds up the application for five seconds', async () => {
    const { supervisor, processes, latest, pauses, runPause } = supervised();
    const finished = supervisor.finish();
    expect(pauses.map((pause) => pause.ms)).toEqual([5000]);
    runPause();
    await finished;
    expect(latest().isKilled).toBe(true);
    expect(processes).toHaveLength(1);
  });
});
