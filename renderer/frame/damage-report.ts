import type { Position } from '../../app/contract/error.ts';
import type { Report } from '../../app/contract/report.ts';

/** A damaged capture described for a bug report: English, exact, and complete. */
export function damageReport(report: Report): string {
  const lines = [
    `file      ${report.file}`,
    `format    ${report.format}, ${report.producer}, ${report.file_bytes} bytes`,
    ...report.devices.map(
      (device) =>
        `device    ${device.kind} ${device.ordinal}: ${device.events} events read, ${device.allocations} requests`,
    ),
    ...report.warnings.map(
      (warning) => `warning   ${warning.code}${positionText(warning.position)}: ${warning.message}`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

export function positionText(position: Position | null): string {
  if (position === null) return '';
  const [kind, value] = Object.entries(position)[0] ?? ['', ''];
  return ` at ${kind} ${value}`;
}
