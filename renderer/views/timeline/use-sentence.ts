import { useMemo } from 'react';
import type { RegionName } from '../../../app/contract/engine.ts';
import { columnScale } from '../../charts/columns.ts';
import { placeWords } from '../../charts/moment-words.ts';
import { axisUnit, wantedTicks } from '../../charts/time-axis.ts';
import { useCursor } from '../../charts/use-cursor.ts';
import type { Words } from '../../charts/use-words.ts';
import { useActiveDevice, useActiveTrace } from '../../state/active-trace.ts';
import { timelineSentence } from './timeline-sentence.ts';
import type { Damage, TimelineData } from './use-timeline.ts';

export function useTimelineSentence(
  words: Words,
  data: TimelineData,
  region: RegionName,
  damage: Damage | null,
  width: number,
): string {
  const { info, axis, range, cursor } = useActiveTrace();
  const device = useActiveDevice();
  const { moment } = useCursor();
  const { marks } = data;
  const series = data.series.data;
  return useMemo(() => {
    if (series === null || width <= 0) return '\u00a0';
    const place = { axis, unit: axisUnit(axis, range, wantedTicks(width)) };
    const peak = marks.markers.find((marker) => marker.kind === 'peak');
    const peakWhere = placeWords(words, place, device.peakEvent, peak?.time ?? null);
    const bounds = boundsOf(damage, placeWords(words, place, device.events - 1, lastTime(info.durationNs)));
    return timelineSentence(words, {
      reserved: series.total.reserved,
      layout: device.layout,
      columns: columnScale(series.window, range, width),
      moment,
      region,
      peak: { bytes: device.peakReserved, event: device.peakEvent, where: peakWhere },
      isAtPeak: cursor === device.peakEvent,
      bounds,
    });
  }, [words, series, marks, region, damage, width, info, axis, range, cursor, device, moment]);
}

function lastTime(duration: number): number | null {
  return duration > 0 ? duration : null;
}

function boundsOf(damage: Damage | null, where: string) {
  if (damage === null || damage.extra === null) return null;
  return { extra: damage.extra.reserved, final: damage.end?.reserved ?? null, where };
}
