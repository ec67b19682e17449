export { createEngine, type EngineOptions } from './create-engine.ts';
export { createDispatcher, type Dispatcher } from './dispatch.ts';
export { engineError, toEngineError } from './errors.ts';
export type { TakeUpload, Upload } from './open.ts';
