import { useState } from 'react';
import { Trans, useTranslation } from 'react-i18next';
import type { Report } from '../../app/contract/report.ts';
import { timeUnitOf } from '../../app/domain/format.ts';
import { usePlatform } from '../engine/platform.ts';
import { useQuery } from '../engine/use-query.ts';
import { useErrorWords } from '../i18n/use-error-words.ts';
import { useFormat } from '../i18n/use-format.ts';
import { useActiveTrace } from '../state/active-trace.ts';
import { reportOfDevice } from '../state/device-view.ts';
import { useFrame } from '../state/frame.ts';
import { dismissOpening, knownFile, openFile, useOpenings } from '../state/openings.ts';
import { useStore } from '../state/store.ts';
import { Banner } from './banner.tsx';
import { damageReport } from './damage-report.ts';

/** What happened to the engine or the way to it; above everything. */
export function EngineBanners() {
  const { t } = useTranslation();
  const platform = usePlatform();
  const { lost, isDisconnected, setLost } = useFrame();
  const reopen = () => {
    const traces = lost ?? [];
    setLost(null);
    for (const { source, name } of traces) void openFile(platform.engine, knownFile(source, name));
  };
  return (
    <>
      {isDisconnected ? (
        <Banner
          tone="critical"
          actions={
            <button type="button" className="button" onClick={platform.reconnect}>
              {t('banner.tryNow')}
            </button>
          }
        >
          {t('banner.disconnected')}
        </Banner>
      ) : null}
      {lost !== null ? (
        <Banner
          tone="caution"
          actions={
            <>
              {lost.length > 0 ? (
                <button type="button" className="button" onClick={reopen}>
                  {t('banner.reopen', { count: lost.length })}
                </button>
              ) : null}
              <button type="button" className="button" onClick={() => setLost(null)}>
                {t('action.dismiss')}
              </button>
            </>
          }
        >
          {t('banner.restarted', { count: lost.length })}
        </Banner>
      ) : null}
    </>
  );
}

/** Captures that could not be opened while another one came up: Start has the whole story, but is not on screen. */
export function RefusedBanner() {
  const { t } = useTranslation();
  const words = useErrorWords();
  const refused = useOpenings((state) => state.openings).flatMap((one) =>
    one.error === null ? [] : [{ ...one, error: one.error }],
  );
  const activate = useStore((state) => state.activate);
  const [first] = refused;
  if (first === undefined) return null;
  const dismiss = () => {
    for (const one of refused) dismissOpening(one.id);
  };
  return (
    <Banner
      tone="critical"
      actions={
        <>
          <button type="button" className="button" onClick={() => activate(null)}>
            {t('banner.showRefused')}
          </button>
          <button type="button" className="button" onClick={dismiss}>
            {t('action.dismiss')}
          </button>
        </>
      }
    >
      {refused.length === 1
        ? t('banner.refusedFile', { name: first.name, message: words(first.error).message })
        : t('banner.refused', { count: refused.length })}
    </Banner>
  );
}

/** A capture that could only be read in part, above all views of its trace. */
export function DamageBanner() {
  const { info, device } = useActiveTrace();
  const { data } = useQuery('report', info.isComplete ? null : { trace: info.trace });
  const report = data === null ? null : reportOfDevice(data, device);
  const { t } = useTranslation();
  if (info.isComplete) return null;
  return report === null ? (
    <Banner tone="caution">{t('banner.incomplete')}</Banner>
  ) : (
    <Damage report={report} />
  );
}

function Damage({ report }: { readonly report: Report }) {
  const { t } = useTranslation();
  const format = useFormat();
  const openDialog = useFrame((state) => state.openDialog);
  const [isCopied, setCopied] = useState(false);
  const words = useErrorWords();
  const damage = report.warnings.find((warning) => warning.position !== null) ?? report.warnings[0];
  const events = report.devices.reduce((sum, device) => sum + device.events, 0);
  const copy = async () => {
    await navigator.clipboard.writeText(damageReport(report));
    setCopied(true);
  };
  // a recording that is read forwards is right as far as it goes; one that is undone from its end is not
  const isBounded = report.devices.some((device) => device.layout === 'segments');
  return (
    <Banner
      tone="caution"
      actions={
        <>
          <button type="button" className="button" onClick={() => openDialog('missing')}>
            {t('banner.whatIsMissing')}
          </button>
          <button type="button" className="button" onClick={() => void copy()}>
            {isCopied ? t('action.copied') : t('banner.copyReport')}
          </button>
        </>
      }
    >
      <Trans
        i18nKey={
          isBounded
            ? report.has_clock && report.duration_ns > 0 && report.format !== 'tensorflow-log'
              ? 'banner.damaged'
              : 'banner.damagedWithoutClock'
            : 'banner.damagedKnown'
        }
        values={{
          events: t('counted.events', { count: events }),
          message: damage === undefined ? '' : words(damage).message,
          time: format.time(report.duration_ns, timeUnitOf(report.duration_ns)),
        }}
        components={{ b: <b /> }}
      />
    </Banner>
  );
}
