import * as v from 'valibot';
import { create } from 'zustand';
import type { EngineError } from '../../../app/contract/error.ts';
import type { CostModel, RunRequest, RunSummary, SweepResult } from '../../../app/contract/simulation.ts';
import { COSTED_CALLS, DEFAULT_COST_MODEL } from '../../../app/domain/cost-model.ts';
import { type Recording, runKey } from '../../../app/domain/runs.ts';
import type { Bytes } from '../../../app/domain/units.ts';
import { readStored, writeStored } from '../../state/stored.ts';

/** The runs of each device that was asked "what if", kept while its trace is open: a sweep can take a while. */

export type CapacityChoice =
  | { readonly kind: 'recorded' }
  | { readonly kind: 'unlimited' }
  | { readonly kind: 'given'; readonly bytes: Bytes };

export interface RunEntry {
  readonly id: number;
  readonly request: RunRequest;
  /** Null until the run has ended. */
  readonly summary: RunSummary | null;
  /** What the user changed since; null when nothing. */
  readonly draft: RunRequest | null;
  /** The result of `draft`, beside the old one until "Run again". */
  readonly preview: RunSummary | null;
  /** Why `draft`, or the run itself, could not be simulated. */
  readonly error: EngineError | null;
  readonly isBusy: boolean;
  /** Added by the user, who may take it away. */
  readonly isAdded: boolean;
}

export interface Place {
  readonly capacity: CapacityChoice;
  readonly state: 'new' | 'running' | 'done' | 'stopped' | 'failed';
  readonly progress: { readonly done: number; readonly total: number } | null;
  readonly error: EngineError | null;
  readonly recording: Recording | null;
  readonly refused: SweepResult['refused'];
  readonly runs: readonly RunEntry[];
  /** Id of a run. */
  readonly selected: number | null;
  /** Id of the run that is being opened as a trace. */
  readonly opening: number | null;
}

const NEW_PLACE: Place = {
  capacity: { kind: 'recorded' },
  state: 'new',
  progress: null,
  error: null,
  recording: null,
  refused: [],
  runs: [],
  selected: null,
  opening: null,
};

const COST_KEY = 'strata.costModel';
const cost = v.pipe(v.number(), v.finite(), v.minValue(0));
const costSchema: v.GenericSchema<unknown, CostModel> = v.object({
  allocate: cost,
  free: cost,
  map: cost,
  unmap: cost,
  synchronize: cost,
});

interface WhatIfState {
  readonly places: Readonly<Record<string, Place>>;
  readonly costModel: CostModel;
}

export const useWhatIf = create<WhatIfState>()(() => ({
  places: {},
  costModel: readStored(COST_KEY, costSchema, DEFAULT_COST_MODEL),
}));

/** One device of one trace. */
export interface PlaceKey {
  readonly trace: string;
  readonly device: number;
}

const nameOf = ({ trace, device }: PlaceKey) => `${trace} ${device}`;

export function placeOf(key: PlaceKey): Place {
  return useWhatIf.getState().places[nameOf(key)] ?? NEW_PLACE;
}

export function usePlace(key: PlaceKey): Place {
  return useWhatIf((state) => state.places[nameOf(key)] ?? NEW_PLACE);
}

export function changePlace(key: PlaceKey, part: Partial<Place>): void {
  useWhatIf.setState(({ places }) => ({
    places: { ...places, [nameOf(key)]: { ...placeOf(key), ...part } },
  }));
}

export function runOf(key: PlaceKey, id: number): RunEntry | undefined {
  return placeOf(key).runs.find((run) => run.id === id);
}

export function changeRun(key: PlaceKey, id: number, part: Partial<RunEntry>): void {
  changePlace(key, { runs: placeOf(key).runs.map((run) => (run.id === id ? { ...run, ...part } : run)) });
}

export function forgetPlaces(isOpen: (trace: string) => boolean): void {
  useWhatIf.setState(({ places }) => ({
    places: Object.fromEntries(Object.entries(places).filter(([name]) => isOpen(name.split(' ')[0] ?? ''))),
  }));
}

let lastId = 0;

export function newRun(request: RunRequest, part: Partial<RunEntry> = {}): RunEntry {
  lastId += 1;
  return {
    id: lastId,
    request,
    summary: null,
    draft: null,
    preview: null,
    error: null,
    isBusy: false,
    isAdded: false,
    ...part,
  };
}

/** The answers of a sweep as entries: a run that was there before keeps its id. */
export function mergeRuns(
  before: readonly RunEntry[],
  summaries: readonly RunSummary[],
): readonly RunEntry[] {
  const free = [...before];
  return summaries.map((summary) => {
    const request: RunRequest = { allocator: summary.allocator, settings: { ...summary.settings } };
    const at = free.findIndex((run) => runKey(run.request) === runKey(request));
    const [known] = at < 0 ? [] : free.splice(at, 1);
    return known === undefined
      ? newRun(request, { summary })
      : { ...known, summary, preview: null, error: null, isBusy: false };
  });
}

// ------------------------------------------------------------ the cost of driver calls

export function setCost(call: (typeof COSTED_CALLS)[number], nanoseconds: number): void {
  const costModel = { ...useWhatIf.getState().costModel, [call]: nanoseconds };
  useWhatIf.setState({ costModel });
  writeStored(COST_KEY, costModel);
}

export function resetCosts(): void {
  useWhatIf.setState({ costModel: DEFAULT_COST_MODEL });
  writeStored(COST_KEY, DEFAULT_COST_MODEL);
}

export function hasOwnCosts(model: CostModel): boolean {
  return COSTED_CALLS.some((call) => model[call] !== DEFAULT_COST_MODEL[call]);
}
