import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { HOLDER_MOMENTS, type HolderMoment } from '../../../app/contract/engine.ts';
import { useRunCommand } from '../../commands/use-commands.ts';
import { Choice } from '../../design/choice.tsx';
import { Icon } from '../../design/icons.tsx';
import { Segmented } from '../../design/segmented.tsx';
import { QueryError } from '../../frame/query-error.tsx';
import { useFormat } from '../../i18n/use-format.ts';
import { useActiveTrace } from '../../state/active-trace.ts';
import { useFrame } from '../../state/frame.ts';
import { type TraceState, useStore } from '../../state/store.ts';
import { DifferenceTable } from './difference-table.tsx';
import { type Compared, useDifference } from './use-difference.ts';

/** What changed between another open trace and this one, by call stack. */
export function DifferenceTo() {
  const here = useActiveTrace();
  const traces = useStore((state) => state.traces);
  const others = traces.filter(({ info }) => info.trace !== here.info.trace && info.devices.length > 0);
  return others.length === 0 ? <NothingToCompare /> : <Comparison here={here} others={others} />;
}

function NothingToCompare() {
  const { t } = useTranslation();
  const run = useRunCommand();
  const openDialog = useFrame((state) => state.openDialog);
  const open = () => {
    openDialog(null);
    run('open');
  };
  return (
    <div className="difference-empty">
      <p>{t('difference.onlyOne')}</p>
      <p className="quiet">{t('difference.onlyOneWhy')}</p>
      <button type="button" className="button primary" onClick={open}>
        <Icon name="open" />
        {t('commands.open')}
      </button>
    </div>
  );
}

interface ComparisonProps {
  readonly here: TraceState;
  readonly others: readonly TraceState[];
}

function Comparison({ here, others }: ComparisonProps) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState('');
  const [at, setAt] = useState<HolderMoment>('peak');
  const [isSwapped, setSwapped] = useState(false);
  const other = others.find(({ info }) => info.trace === chosen) ?? others[0];
  if (other === undefined) return null;
  const nameOf = namesOf([here, ...others]);
  return (
    <div className="difference">
      <div className="difference-controls">
        <span id="difference-other">{isSwapped ? t('difference.after') : t('difference.before')}</span>
        <Choice
          labelId="difference-other"
          value={other.info.trace}
          options={others.map(({ info }) => ({ value: info.trace, label: nameOf(info.trace) }))}
          onChange={setChosen}
        />
        <Segmented<HolderMoment>
          label={t('difference.moment')}
          value={at}
          options={HOLDER_MOMENTS.map((moment) => ({
            value: moment,
            label: t(`difference.at.${moment}`),
          }))}
          onChange={setAt}
        />
        <button
          type="button"
          className="button"
          aria-pressed={isSwapped}
          onClick={() => setSwapped(!isSwapped)}
        >
          {t('difference.swap')}
        </button>
      </div>
      <Result here={here} other={other} at={at} isSwapped={isSwapped} nameOf={nameOf} />
    </div>
  );
}

/** Names of tabs, told apart by their paths where two are the same. */
function namesOf(traces: readonly TraceState[]): (trace: string) => string {
  const names = new Map(
    traces.map(({ info }) => {
      const isUnique = traces.filter((one) => one.info.name === info.name).length === 1;
      return [info.trace, isUnique ? info.name : (info.path ?? `${info.name} (${info.trace})`)];
    }),
  );
  return (trace) => names.get(trace) ?? trace;
}

interface ResultProps extends Compared {
  readonly nameOf: (trace: string) => string;
}

function Result({ nameOf, ...compared }: ResultProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { here, other, isSwapped } = compared;
  const { difference, error, isAbsent } = useDifference(compared);
  if (isAbsent)
    return <p className="quiet">{t('difference.noDevice', { name: nameOf(other.info.trace) })}</p>;
  if (error !== null) return <QueryError error={error} />;
  if (difference === null) return <p className="quiet">{t('difference.busy')}</p>;
  const { before, after } = difference;
  const [from, to] = isSwapped ? [here, other] : [other, here];
  return (
    <>
      <p className="difference-sentence" aria-live="polite">
        {t('difference.sentence', {
          change: format.difference(after.bytes - before.bytes),
          before: format.bytes(before.bytes),
          after: format.bytes(after.bytes),
          from: nameOf(from.info.trace),
          to: nameOf(to.info.trace),
        })}
      </p>
      <p className="caption">
        {t('difference.counts', {
          new: format.count(difference.changed.new.sites),
          grown: format.count(difference.changed.grown.sites),
          shrunk: format.count(difference.changed.shrunk.sites),
          gone: format.count(difference.changed.gone.sites),
          same: format.count(difference.unchanged.sites),
        })}
      </p>
      {difference.sites.length === 0 ? (
        <p className="quiet">{t('difference.none')}</p>
      ) : (
        <DifferenceTable
          key={`${from.info.trace} ${to.info.trace} ${compared.at}`}
          difference={difference}
          fileName={`${to.info.name}-minus-${from.info.name}`}
        />
      )}
    </>
  );
}
