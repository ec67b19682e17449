import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FrameInfo } from '../../../app/contract/engine.ts';
import type { ReportFailure } from '../../../app/contract/report.ts';
import { whyNotSimulated } from '../../../app/domain/runs.ts';
import { Icon } from '../../design/icons.tsx';
import { useQuery } from '../../engine/use-query.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useMomentName } from '../../i18n/use-words.ts';
import { useActiveDevice, useActiveTrace } from '../../state/active-trace.ts';
import { type OverviewData, useProof, viewOfFailures } from './use-overview.ts';
import { verdictOf } from './verdict.ts';

/** A failed request takes the place of the peak: what it asked for, what there was, and why that was not enough. */
export function FailureHero({ data }: { readonly data: OverviewData }) {
  const { t } = useTranslation();
  const { failures } = data.device;
  const [at, setAt] = useState(0);
  const failure = failures[Math.min(at, failures.length - 1)];
  const proof = useProof();
  const activeDevice = useActiveDevice();
  const shownOn = viewOfFailures(data);
  if (failure === undefined) return null;
  return (
    <section className="failure" aria-label={t('failure.title')}>
      <div className="failure-head">
        <div className="failure-icon">
          <Icon name="failure" />
        </div>
        <VerdictWords failure={failure} />
        {failures.length === 1 ? null : (
          <div className="failure-steps">
            <span className="caption">{t('failure.of', { at: at + 1, count: failures.length })}</span>
            <button type="button" className="button" disabled={at === 0} onClick={() => setAt(at - 1)}>
              {t('failure.previous')}
            </button>
            <button
              type="button"
              className="button"
              disabled={at === failures.length - 1}
              onClick={() => setAt(at + 1)}
            >
              {t('failure.next')}
            </button>
          </div>
        )}
      </div>
      <FailureNumbers failure={failure} isBounded={data.device.possible_extra !== null} />
      <div className="failure-foot">
        <AskedBy failure={failure} />
        <div className="failure-links">
          {whyNotSimulated(activeDevice) !== null ? null : (
            <button type="button" className="go" onClick={() => proof('whatIf', {})}>
              {t('whatIf.linkSurvived')}
              <Icon name="arrow" />
            </button>
          )}
          {shownOn === null ? null : (
            <button
              type="button"
              className="go"
              onClick={() => proof(shownOn, { cursor: failure.event, selection: null })}
            >
              {t(shownOn === 'map' ? 'failure.showOnMap' : 'failure.show')}
              <Icon name="arrow" />
            </button>
          )}
        </div>
      </div>
    </section>
  );
}

function VerdictWords({ failure }: { readonly failure: ReportFailure }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { info } = useActiveTrace();
  const momentName = useMomentName(info);
  const verdict = verdictOf(failure);
  const [asked, hole] = format.close(failure.rounded, failure.largest_free ?? 0);
  const values = {
    asked,
    hole,
    free: format.bytes(failure.free ?? 0),
    device: format.bytes(failure.device_free ?? 0),
    short: format.bytes(verdict.short),
    moment: momentName({ event: failure.event, time: failure.time_ns }),
  };
  return (
    <div className="failure-words">
      <p className="verdict">{t(`failure.${verdict.kind}.verdict`, values)}</p>
      <p className="quiet">
        {(verdict.kind === 'fragmentation' || verdict.kind === 'untold') && !verdict.isDeviceKnown
          ? t(`failure.${verdict.kind}.whyWithoutDevice`, values)
          : t(`failure.${verdict.kind}.why`, values)}
      </p>
    </div>
  );
}

interface NumbersProps {
  readonly failure: ReportFailure;
  /** Parts of the state it met are missing. */
  readonly isBounded: boolean;
}

function FailureNumbers({ failure, isBounded }: NumbersProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { info } = useActiveTrace();
  const momentName = useMomentName(info);
  const { free, largest_free: largest, device_free: onDevice, rounded } = failure;
  const held = free === null ? failure.active : failure.reserved;
  const [asked, hole] = format.close(rounded, largest ?? 0);
  const numbers = [
    {
      name: t('failure.asked'),
      value: asked,
      exact: failure.rounded,
      why:
        failure.requested === null
          ? t('failure.rounded')
          : failure.requested === failure.rounded
            ? ''
            : t('failure.requested', { bytes: format.exact(failure.requested) }),
    },
    ...(largest === null
      ? []
      : [
          {
            name: t('failure.hole'),
            value: hole,
            exact: largest,
            isCritical: largest < rounded,
            why: largest < rounded ? t('failure.shortBy', { bytes: format.bytes(rounded - largest) }) : '',
          },
        ]),
    ...(free === null
      ? []
      : [
          {
            name: t('failure.free'),
            value: format.bytes(free),
            exact: free,
            isCritical: free < rounded,
            why: t('failure.ofReserved', {
              share: format.percent(failure.reserved === 0 ? 0 : free / failure.reserved),
            }),
          },
        ]),
    ...(onDevice === null
      ? []
      : [
          {
            name: t('failure.deviceFree'),
            value: format.bytes(onDevice),
            exact: onDevice,
            isCritical: onDevice < rounded,
            why: t('failure.deviceFreeWhy'),
          },
        ]),
    ...(isBounded && held === 0
      ? []
      : [
          {
            name: free === null ? t('quantity.active') : t('quantity.reserved'),
            value: `${isBounded ? '≥ ' : ''}${format.bytes(held)}`,
            exact: held,
            why: momentName({ event: failure.event, time: failure.time_ns }),
          },
        ]),
  ];
  return (
    <dl className="failure-numbers">
      {numbers.map((number) => (
        <div key={number.name}>
          <dt className="quiet small">{number.name}</dt>
          <dd
            className={
              'isCritical' in number && number.isCritical ? 'failure-number critical-text' : 'failure-number'
            }
            title={format.exact(number.exact)}
          >
            {number.value}
          </dd>
          <dd className="caption">{number.why}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A log names the op of the graph that asked, as a stack of its own. */
function opOf(stack: readonly FrameInfo[] | undefined): FrameInfo | undefined {
  return stack?.length === 1 ? stack[0] : undefined;
}

/** The program's own line that asked, not the allocator's frames above it. */
function AskedBy({ failure }: { readonly failure: ReportFailure }) {
  const { t } = useTranslation();
  const { info, device } = useActiveTrace();
  const { data: event } = useQuery('event', { trace: info.trace, device, event: failure.event });
  const own = event?.stack.find((frame) => !frame.isFolded) ?? opOf(event?.stack);
  if (own === undefined) return null;
  return (
    <p className="small quiet ellipsis" title={failure.stack.join('\n')}>
      {t('failure.askedBy')}{' '}
      <code>
        {own.name}
        {own.file === '' ? '' : ` (${own.file.split(/[\\/]/).at(-1)}:${own.line})`}
      </code>
    </p>
  );
}
