import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { RegionName } from '../../../app/contract/engine.ts';
import type { KnobInfo, RunRequest, SimulatorInfo } from '../../../app/contract/simulation.ts';
import { isPyTorch, settingsText } from '../../../app/domain/runs.ts';

/** What runs, allocators and knobs are called. What the page has no word for is shown as the engine names it. */

const isOn = (text: string | undefined) => text !== undefined && /^(true|1)$/i.test(text.trim());

/** Whether large blocks come from ranges that are mapped as needed, so that a run is drawn in the virtual hue. */
export function isExpandable({ allocator, settings }: RunRequest): boolean {
  if (!isPyTorch(allocator)) return false;
  if (settings['expandable_segments'] !== undefined) return isOn(settings['expandable_segments']);
  return /expandable_segments\s*:\s*True/.test(settings['PYTORCH_CUDA_ALLOC_CONF'] ?? '');
}

/** Allocators that map physical memory as needed. */
const VIRTUAL: ReadonlySet<string> = new Set(['cuda-async', 'tf-vmm', 'gmlake']);

/** The region that the run's memory belongs to, which gives it its hue. */
export function regionOfRun(run: RunRequest): RegionName {
  return isExpandable(run) || VIRTUAL.has(run.allocator) ? 'virtual' : 'pooled';
}

/** An allocator whose settings change what users call it has a name for each. */
function variantOf(run: RunRequest): string {
  if (isExpandable(run)) return 'pytorch-expandable';
  if (run.allocator !== 'bfc') return run.allocator;
  const growth = run.settings['allow_growth'];
  return growth === undefined || isOn(growth) ? 'bfc-growing' : 'bfc-preallocated';
}

export interface RunWords {
  /** "PyTorch expandable". */
  readonly name: (run: RunRequest) => string;
  /** "expandable_segments:True", or that nothing is set. */
  readonly settings: (run: RunRequest) => string;
  /** For a sentence: the setting where the allocator is the recording's own, else the allocator. */
  readonly inSentence: (run: RunRequest, own: string | null) => string;
  readonly allocator: (name: string) => string;
  /** Who uses it; empty where there is nothing to say. */
  readonly caption: (name: string) => string;
  readonly knob: (name: string) => string | null;
  /** A knob's value as a user would write it, or that it is not set. */
  readonly value: (knob: KnobInfo, text: string) => string;
}

export function useRunWords(): RunWords {
  const { i18n } = useTranslation();
  return useMemo(() => {
    const known = (key: string) => (i18n.exists(key) ? i18n.t(key as never) : null) as string | null;
    const name = (run: RunRequest) => known(`whatIf.allocator.${variantOf(run)}`) ?? run.allocator;
    const settings = (run: RunRequest) => settingsText(run) || i18n.t('whatIf.defaultSettings');
    return {
      name,
      settings,
      inSentence: (run, own) => {
        const text = settingsText(run);
        if (run.allocator === own) return text || i18n.t('whatIf.defaults');
        return text === '' ? name(run) : `${name(run)} (${text})`;
      },
      allocator: (allocator) => known(`whatIf.allocator.${allocator}`) ?? allocator,
      caption: (allocator) => known(`whatIf.caption.${allocator}`) ?? '',
      knob: (knob) => known(`whatIf.knob.${knob}`),
      value: (knob, text) => {
        if (knob.kind === 'flag') return isOn(text) ? i18n.t('whatIf.flag.on') : i18n.t('whatIf.flag.off');
        return text === '' ? i18n.t('whatIf.inspector.notSet') : text;
      },
    };
  }, [i18n]);
}

export const isFlagOn = isOn;

/** As the allocator's own users write it. */
export function flagText(allocator: string, on: boolean): string {
  const text = on ? 'true' : 'false';
  return isPyTorch(allocator) ? text.replace(/^./, (first) => first.toUpperCase()) : text;
}

export function simulatorOf(
  simulators: readonly SimulatorInfo[],
  allocator: string,
): SimulatorInfo | undefined {
  return simulators.find((one) => one.name === allocator);
}
