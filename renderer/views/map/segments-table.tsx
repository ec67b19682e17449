import { useMemo } from 'react';
import { REGIONS, type RegionName, type StateResult } from '../../../app/contract/engine.ts';
import { formatAddress } from '../../../app/domain/format.ts';
import { DataTable } from '../../charts/data-table.tsx';
import { useWords } from '../../charts/use-words.ts';
import { useQuery } from '../../engine/use-query.ts';
import { useActiveDevice, useActiveTrace, useUpdateTrace } from '../../state/active-trace.ts';
import { segmentColumns, segmentRows } from './segment-columns.ts';

/** The Map as numbers: the segments of the region at the cursor, by address. */
export function SegmentsTable() {
  const { info, device, cursor, mapRegion, selection } = useActiveTrace();
  const { layout } = useActiveDevice();
  const update = useUpdateTrace();
  const words = useWords();
  const { data } = useQuery('state', { trace: info.trace, device, event: cursor });
  const rows = useMemo(() => (data === null ? null : rowsOf(data, mapRegion)), [data, mapRegion]);
  const columns = useMemo(() => (rows === null ? [] : segmentColumns(words, rows)), [words, rows]);
  const selected = useSelectedSegment();
  if (rows === null) return <div className="data-table" />;
  const at = rows.findIndex((row) => row.segment === selected);
  return (
    <DataTable
      label={words.t('segments.label')}
      note={words.t(layout === 'segments' ? 'segments.note' : 'segments.noteBlocks')}
      columns={columns}
      count={rows.length}
      fileName={`${info.name}-segments`}
      selected={selection === null || at < 0 ? null : at}
      onSelect={(row) => {
        const segment = rows[row]?.segment;
        if (segment !== undefined) update({ selection: { kind: 'segment', segment } });
      }}
    />
  );
}

function rowsOf(state: StateResult, region: RegionName) {
  return segmentRows(state, REGIONS.indexOf(region), (address) => formatAddress(address));
}

/** The selected segment, or the one that holds the selected block. */
function useSelectedSegment(): number | null {
  const { info, device, selection } = useActiveTrace();
  const isBlock = selection?.kind === 'block';
  const { data } = useQuery('block', isBlock ? { trace: info.trace, device, block: selection.block } : null);
  if (selection?.kind === 'segment') return selection.segment;
  return isBlock ? (data?.segment ?? null) : null;
}
