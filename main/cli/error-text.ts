import type { EngineErrorData, Position } from '../../app/contract/error.ts';
import type { ReportWarning } from '../../app/contract/report.ts';
import { formatCount } from '../../app/domain/format.ts';
import { visibleText } from '../../app/domain/visible-text.ts';

/** An error for standard error: sentence, file and position, remedy, code. */
export function errorText(error: EngineErrorData, file: string | null): string {
  const lines = [`strata: ${error.message}`];
  const place = [file === null ? '' : `in ${file}`, positionText(error.position)].filter(
    (part) => part !== '',
  );
  if (place.length > 0) lines.push(`  ${place.join(', ')}`);
  if (error.remedy !== '') lines.push(`  ${error.remedy}`);
  lines.push(`  (${error.code})`);
  return `${lines.map(visibleText).join('\n')}\n`;
}

export function warningText(warning: ReportWarning): string {
  const place = [warning.file ?? '', positionText(warning.position)].filter((part) => part !== '').join(' ');
  return visibleText(`${warning.message}${place === '' ? '' : ` [${place}]`} (${warning.code})`);
}

function positionText(position: Position | null): string {
  const [entry] = Object.entries(position ?? {});
  return entry === undefined ? '' : `at ${entry[0]} ${formatCount(entry[1] as number)}`;
}
