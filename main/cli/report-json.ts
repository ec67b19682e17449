import type { Report } from '../../app/contract/report.ts';

/** The report as REPORT.md describes it. The engine has already turned integers above 2^53 into strings. */
export function reportJson(report: Report): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}
