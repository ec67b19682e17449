export {
  type AllocationListener,
  type AllocationProgram,
  listenForPrograms,
} from './allocations/programs.ts';
export { createEngine, type EngineOptions, type OwnEngine } from './create-engine.ts';
export { createDispatcher, type Dispatcher } from './dispatch.ts';
export { engineError, toEngineError } from './errors.ts';
export type { TakeUpload, Upload } from './locate.ts';
export { findShipped } from './locations.ts';
export { checkRecordingPlace, isOtherFile } from './recording-place.ts';
export { type ReplayJob, replayTrace } from './replay.ts';
export { gpusOf, isContainer, type Sampler, type SamplerOptions, startSampler } from './sampler.ts';
export { roomBeside } from './unpack/limits.ts';
export { type TemporaryFile, temporaryFile } from './unpack/temporary.ts';
