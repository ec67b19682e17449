import type { TraceInfo } from '../../app/contract/engine.ts';
import type { Report } from '../../app/contract/report.ts';
import type { TraceState } from './store.ts';

/**
 * A view is of one device. In a set, what it says of the capture is true of the file that the device comes from, and is
 * taken from there; a trace of one file stays as it is.
 */

const views = new WeakMap<TraceInfo, Map<number, TraceInfo>>();

/** The same object for the same trace and device, so that nothing renders for its sake. */
export function infoOfDevice(info: TraceInfo, position: number): TraceInfo {
  const device = info.devices[position];
  const part = info.parts[device?.part ?? -1];
  if (device === undefined || part === undefined) return info;
  const known = views.get(info) ?? new Map<number, TraceInfo>();
  views.set(info, known);
  const view = known.get(position) ?? {
    ...info,
    format: part.format,
    producer: part.producer,
    hasClock: device.hasClock,
    isComplete: part.isComplete,
  };
  known.set(position, view);
  return view;
}

export function traceOfDevice(trace: TraceState): TraceState {
  const info = infoOfDevice(trace.info, trace.device);
  return info === trace.info ? trace : { ...trace, info };
}

/** What a report says of the file of a device, and of the set as a whole. */
export function reportOfDevice(report: Report, position: number): Report {
  const device = report.devices[position];
  const at = report.files.findIndex((file) => file.name === device?.file);
  const file = report.files[at];
  if (file === undefined) return report;
  return {
    ...report,
    format: file.format,
    producer: file.producer,
    complete: file.complete,
    file_bytes: file.file_bytes,
    has_clock: file.clock !== 'none',
    settings: file.settings,
    warnings: report.warnings.filter((warning) => warning.file === undefined || warning.file === file.name),
  };
}
