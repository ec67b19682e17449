import type { MomentResult, SiteInfo } from '../../../app/contract/engine.ts';
import type { Report, ReportDevice } from '../../../app/contract/report.ts';

/** What a capture lacks, and the code that records it. */
export type HintName =
  | 'history'
  | 'ring'
  | 'stacks'
  | 'clock'
  | 'before'
  | 'annotations'
  | 'damaged'
  | 'instants'
  | 'shortened';

export interface Hint {
  readonly name: HintName;
  /** Code to copy; empty when recording differently does not help. */
  readonly code: string;
}

const RECORD = 'torch.cuda.memory._record_memory_history(\n    max_entries=1_000_000, stacks="python")';
const DUMP = 'torch.cuda.memory._dump_snapshot("snapshot.pickle")';
const VERBOSE = 'TF_CPP_VMODULE=bfc_allocator=4 python train.py 2> train.log';
const ALL = `${RECORD}\n…\n${DUMP}`;

/** More than this share of the peak that is older than the recording hides who asked for it. */
const NOTABLE_SHARE = 0.05;

export function hintsOf(
  report: Report,
  device: ReportDevice,
  peak: MomentResult,
  sites: readonly SiteInfo[],
  annotations: number,
): readonly Hint[] {
  const warned = new Set(report.warnings.map((warning) => warning.code));
  const hints: Hint[] = [];
  const share = (kind: SiteInfo['kind']) => {
    const bytes = peak.sites
      .filter((one) => one.site < sites.length - 1 && sites[one.site]?.kind === kind)
      .reduce((sum, one) => sum + one.bytes, 0);
    return peak.total.active === 0 ? 0 : bytes / peak.total.active;
  };
  if (report.format === 'tensorflow-log') {
    if (!report.complete) hints.push({ name: 'shortened', code: '' });
    const isTimeline = device.allocations > 0;
    return isTimeline ? hints : [...hints, { name: 'instants', code: VERBOSE }];
  }
  if (report.format !== 'pytorch-snapshot') {
    // what other formats lack, their own warnings say, with how to record it
    return report.complete ? hints : [{ name: 'damaged', code: '' }];
  }
  if (!report.complete) hints.push({ name: 'damaged', code: DUMP });
  if (device.events === 0) {
    if (report.complete) hints.push({ name: 'history', code: ALL });
    return hints;
  }
  if (warned.has('ring-overflow')) hints.push({ name: 'ring', code: RECORD });
  if (warned.has('no-stacks') || share('unknown') > NOTABLE_SHARE) {
    hints.push({
      name: 'stacks',
      code: 'torch.cuda.memory._record_memory_history(\n    context="all", stacks="python")',
    });
  }
  if (!report.has_clock)
    hints.push({ name: 'clock', code: device.kind === 'cuda' ? 'pip install --upgrade torch' : '' });
  const isBeforeKnown = report.complete && !warned.has('ring-overflow');
  if (isBeforeKnown && share('before') > NOTABLE_SHARE) hints.push({ name: 'before', code: RECORD });
  if (annotations === 0 && report.has_clock && report.complete) {
    hints.push({ name: 'annotations', code: 'with torch.profiler.record_function("forward"):\n    …' });
  }
  return hints;
}
