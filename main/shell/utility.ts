import { createDispatcher } from '../engine/dispatch.ts';
import { createEngine } from '../engine/index.ts';

/** The engine's own process: a capture that brings it down costs the open traces, never the window. */
const { parentPort } = process;
const dispatcher = createDispatcher(createEngine(), (message) => parentPort.postMessage(message));
parentPort.on('message', (event) => dispatcher.receive(event.data));
