import { useTranslation } from 'react-i18next';
import type { Recording } from '../../../app/domain/runs.ts';
import type { Rows, SharedScale } from './rows.ts';
import { walkOf } from './rows.ts';
import { RunPanel } from './run-panel.tsx';

interface Props {
  readonly rows: Rows;
  readonly recording: Recording;
  readonly scale: SharedScale;
  readonly selected: number | null;
  onSelect(id: number): void;
  onOpen(id: number): void;
}

/** Small multiples: every run in the order of the table, the recording dashed in each. */
export function RunPanels({ rows, recording, scale, selected, onSelect, onOpen }: Props) {
  const { t } = useTranslation();
  return (
    <section className="run-panels" aria-label={t('whatIf.table.label')}>
      {walkOf(rows).map((run) =>
        run.summary === null ? null : (
          <RunPanel
            key={run.id}
            request={run.request}
            summary={run.summary}
            preview={run.preview}
            recording={recording}
            scale={scale}
            isSelected={run.id === selected}
            isModel={rows.models.includes(run)}
            onSelect={() => onSelect(run.id)}
            onOpen={() => onOpen(run.id)}
          />
        ),
      )}
    </section>
  );
}
