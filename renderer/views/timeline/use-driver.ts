import { useMemo } from 'react';
import { create } from 'zustand';
import {
  type DriverFigure,
  driverFigures,
  type PairedBy,
  pairedFigure,
} from '../../../app/domain/driver-figures.ts';
import { useWindowQuery, type WindowAnswers } from '../../charts/window-query.ts';
import { useQuery } from '../../engine/use-query.ts';
import { useActiveDevice, useActiveTrace } from '../../state/active-trace.ts';

/** What the user chose to compare a device with, by trace and device: a counter, or nothing. */
interface DriverChoices {
  readonly chosen: ReadonlyMap<string, number | null>;
  choose(key: string, counter: number | null): void;
}

const useDriverChoices = create<DriverChoices>()((set) => ({
  chosen: new Map(),
  choose: (key, counter) => set(({ chosen }) => ({ chosen: new Map([...chosen, [key, counter]]) })),
}));

/** The driver's side of a device: what it can be compared with, and what it is compared with. */
export interface Driver {
  readonly figures: readonly DriverFigure[];
  readonly figure: DriverFigure | null;
  readonly by: PairedBy | 'choice' | null;
  readonly answers: WindowAnswers<'driver'>;
  choose(counter: number | null): void;
}

export function useDriver(size: { readonly width: number; readonly pixelRatio: number } | null): Driver {
  const { figures, figure, by, choose } = useDriverFigure();
  const { info, device, axis } = useActiveTrace();
  const isAsked = figure !== null && axis === 'time';
  const answers = useWindowQuery('driver', isAsked ? size : null, (window) => ({
    trace: info.trace,
    device,
    counter: figure?.counter ?? 0,
    window: { ...window, axis: 'time' as const },
  }));
  return { figures, figure, by, answers, choose };
}

export function useDriverFigure(): Omit<Driver, 'answers'> {
  const { info, device } = useActiveTrace();
  const active = useActiveDevice();
  const choices = useDriverChoices();
  const isSet = info.counters > 0 && info.parts.length > 0;
  const { data } = useQuery('counters', isSet ? { trace: info.trace } : null);
  const counters = data?.counters;
  const figures = useMemo(() => driverFigures(info, active, counters ?? []), [info, active, counters]);
  const key = `${info.trace} ${device}`;
  const chosen = choices.chosen.get(key);
  const paired = useMemo(() => pairedFigure(info, active, figures), [info, active, figures]);
  const own = chosen === undefined ? paired : null;
  return {
    figures,
    figure: own?.figure ?? figures.find(({ counter }) => counter === chosen) ?? null,
    by: own?.by ?? (chosen === undefined || chosen === null ? null : 'choice'),
    choose: (counter) => choices.choose(key, counter),
  };
}
