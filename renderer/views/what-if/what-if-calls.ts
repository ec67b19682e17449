import type { Engine } from '../../../app/contract/engine.ts';
import type { RunRequest, RunSummary, SweepResult } from '../../../app/contract/simulation.ts';
import { answerOf, ownAllocator, runKey } from '../../../app/domain/runs.ts';
import type { Bytes } from '../../../app/domain/units.ts';
import { asEngineError, startingPoint } from '../../state/openings.ts';
import { useStore } from '../../state/store.ts';
import {
  type CapacityChoice,
  changePlace,
  changeRun,
  forgetPlaces,
  mergeRuns,
  newRun,
  type PlaceKey,
  placeOf,
  runOf,
  useWhatIf,
} from './what-if-store.ts';

/** What the user asks of the engine, and where the answers go. One call of a kind is under way a place. */

/** Columns of a run's timeline: more than a panel has pixels, so that a wide window shows every step. */
const COLUMNS = 600;
/** A knob that is being turned is asked about when it rests. */
const REST_MS = 250;

const underWay = new Map<string, AbortController>();

/** Aborts what was asked under this name before. */
function begin(name: string): AbortController {
  underWay.get(name)?.abort();
  const controller = new AbortController();
  underWay.set(name, controller);
  return controller;
}

const wasCancelled = (controller: AbortController, code: string) =>
  controller.signal.aborted || code === 'cancelled';

/** As the contract wants it: null is as recorded, the largest number without a limit. */
export function capacityArgument(choice: CapacityChoice): Bytes | null {
  if (choice.kind === 'recorded') return null;
  return choice.kind === 'unlimited' ? Number.MAX_SAFE_INTEGER : choice.bytes;
}

function common(key: PlaceKey) {
  return {
    ...key,
    capacity: capacityArgument(placeOf(key).capacity),
    costModel: useWhatIf.getState().costModel,
    columns: COLUMNS,
  };
}

const sweepName = (key: PlaceKey) => `sweep ${key.trace} ${key.device}`;

/** Runs everything: what is worth trying at first, afterwards the runs that are listed. */
export async function sweep(engine: Engine, key: PlaceKey): Promise<void> {
  forgetPlaces((trace) => useStore.getState().traces.some((one) => one.info.trace === trace));
  const controller = begin(sweepName(key));
  const { runs } = placeOf(key);
  changePlace(key, { state: 'running', progress: null, error: null });
  try {
    const result = await engine.call(
      'sweep',
      { ...common(key), runs: runs.length === 0 ? null : runs.map((run) => run.request) },
      {
        signal: controller.signal,
        onProgress: ({ done, total }) => {
          if (!controller.signal.aborted) changePlace(key, { progress: { done, total } });
        },
      },
    );
    if (!controller.signal.aborted) await takeSweep(engine, key, result);
  } catch (caught) {
    const error = asEngineError(caught);
    if (controller !== underWay.get(sweepName(key))) return;
    if (wasCancelled(controller, error.code)) changePlace(key, { state: 'stopped', progress: null });
    else changePlace(key, { state: 'failed', error, progress: null });
  }
}

function ownOf({ trace }: PlaceKey, runs: readonly RunSummary[]): string | null {
  const state = useStore.getState().traces.find((one) => one.info.trace === trace);
  return state === undefined ? null : ownAllocator(runs, state.info);
}

/** The run that answers is looked at first. */
async function takeSweep(engine: Engine, key: PlaceKey, result: SweepResult): Promise<void> {
  const simulators = await engine.call('simulators', {});
  const { selected, runs: before } = placeOf(key);
  const runs = mergeRuns(before, result.runs);
  const own = ownOf(key, result.runs);
  const answer = answerOf(result.recording, result.runs, simulators, own);
  const best =
    answer.kind === 'survived' || answer.kind === 'less'
      ? answer.best
      : answer.kind === 'none-survived'
        ? answer.furthest
        : result.runs.find((run) => run.reproduces !== null);
  const kept = runs.find((run) => run.id === selected);
  changePlace(key, {
    state: 'done',
    progress: null,
    recording: result.recording,
    refused: result.refused,
    runs,
    selected: (kept ?? runs.find((run) => run.summary === best) ?? runs[0])?.id ?? null,
  });
}

export function cancelSweep(key: PlaceKey): void {
  underWay.get(sweepName(key))?.abort();
}

/** Another device is another question: every run is asked again. */
export function setCapacity(engine: Engine, key: PlaceKey, capacity: CapacityChoice): void {
  changePlace(key, { capacity });
  void sweep(engine, key);
}

async function simulate(
  engine: Engine,
  key: PlaceKey,
  run: RunRequest,
  signal: AbortSignal,
): Promise<RunSummary> {
  const { summary } = await engine.call('simulate', { ...common(key), run, keep: false }, { signal });
  return summary;
}

/** Shows what a changed knob would do, once it rests; the old result stays until "Run again". */
export function setDraft(engine: Engine, key: PlaceKey, id: number, draft: RunRequest): void {
  const entry = runOf(key, id);
  if (entry === undefined) return;
  const controller = begin(`run ${id}`);
  if (runKey(draft) === runKey(entry.request)) {
    changeRun(key, id, { draft: null, preview: null, error: null, isBusy: false });
    return;
  }
  changeRun(key, id, { draft, preview: null, error: null, isBusy: true });
  const timer = setTimeout(() => void preview(engine, key, id, draft, controller), REST_MS);
  controller.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
}

async function preview(
  engine: Engine,
  key: PlaceKey,
  id: number,
  draft: RunRequest,
  controller: AbortController,
): Promise<void> {
  try {
    const summary = await simulate(engine, key, draft, controller.signal);
    if (!controller.signal.aborted) changeRun(key, id, { preview: summary, isBusy: false });
  } catch (caught) {
    const error = asEngineError(caught);
    if (!wasCancelled(controller, error.code)) changeRun(key, id, { error, isBusy: false });
  }
}

/** Takes the changed settings as the run's own. */
export async function runAgain(engine: Engine, key: PlaceKey, id: number): Promise<void> {
  const entry = runOf(key, id);
  if (entry === undefined) return;
  const request = entry.draft ?? entry.request;
  if (entry.preview !== null) {
    changeRun(key, id, { request, summary: entry.preview, draft: null, preview: null });
    return;
  }
  const controller = begin(`run ${id}`);
  changeRun(key, id, { isBusy: true, error: null });
  try {
    const summary = await simulate(engine, key, request, controller.signal);
    if (!controller.signal.aborted) {
      changeRun(key, id, { request, summary, draft: null, preview: null, isBusy: false });
    }
  } catch (caught) {
    const error = asEngineError(caught);
    if (!wasCancelled(controller, error.code)) changeRun(key, id, { error, isBusy: false });
  }
}

/** Adds a run below the others and looks at it. */
export function addRun(engine: Engine, key: PlaceKey, request: RunRequest): void {
  const entry = newRun(request, { isAdded: true });
  changePlace(key, { runs: [...placeOf(key).runs, entry], selected: entry.id });
  void runAgain(engine, key, entry.id);
}

export function removeRun(key: PlaceKey, id: number): void {
  begin(`run ${id}`).abort();
  const { runs } = placeOf(key);
  const at = runs.findIndex((run) => run.id === id);
  const left = runs.filter((run) => run.id !== id);
  changePlace(key, { runs: left, selected: (left[at] ?? left.at(-1))?.id ?? null });
}

/** Opens a run as a trace of its own, in a tab of its own. */
export async function openRun(engine: Engine, key: PlaceKey, id: number): Promise<void> {
  const entry = runOf(key, id);
  if (entry === undefined || placeOf(key).opening !== null) return;
  changePlace(key, { opening: id });
  try {
    const run = entry.request;
    const { trace } = await engine.call('simulate', { ...common(key), run, keep: true });
    if (trace !== null) useStore.getState().addTrace(trace, startingPoint(trace));
  } catch (caught) {
    changeRun(key, id, { error: asEngineError(caught) });
  } finally {
    changePlace(key, { opening: null });
  }
}
