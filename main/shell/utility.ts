import { createDispatcher } from '../engine/dispatch.ts';
import { createEngine } from '../engine/index.ts';
import { FINISH } from './supervisor.ts';

/** The engine's own process: a capture that brings it down costs the open traces, never the window. */
const { parentPort } = process;
const engine = createEngine();
const dispatcher = createDispatcher(engine, (message) => parentPort.postMessage(message));
parentPort.on('message', ({ data }) => {
  if (data === FINISH) void engine.finish().finally(() => process.exit(0));
  else dispatcher.receive(data);
});
