import { useTranslation } from 'react-i18next';
import type { DecisionInfo } from '../../../app/contract/simulation.ts';
import { useQuery } from '../../engine/use-query.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useActiveTrace } from '../../state/active-trace.ts';
import { QueryError } from '../query-error.tsx';

/** What a simulated allocator looked at, and why it chose: where the selected block was born, or at the cursor. */
export function WhyHere() {
  const { t } = useTranslation();
  const format = useFormat();
  const { info, device, cursor, selection } = useActiveTrace();
  const onDevice = { trace: info.trace, device };
  const isBlock = selection?.kind === 'block';
  const { data: block } = useQuery('block', isBlock ? { ...onDevice, block: selection.block } : null);
  const event = isBlock ? (block === null ? null : (block.birth?.event ?? -1)) : cursor;
  const { data, error } = useQuery('decisions', event === null || event < 0 ? null : { ...onDevice, event });
  if (event === null) return null;
  return (
    <section className="why-here">
      <h2>{t('whatIf.whyHere.title')}</h2>
      {event < 0 ? (
        <p className="small quiet">{t('whatIf.whyHere.before')}</p>
      ) : (
        <>
          <p className="caption">{t('whatIf.whyHere.event', { event: format.count(event) })}</p>
          {error === null ? null : <QueryError error={error} />}
          {data === null ? null : <Steps steps={data} />}
        </>
      )}
    </section>
  );
}

function Steps({ steps }: { readonly steps: readonly DecisionInfo[] }) {
  const { t } = useTranslation();
  if (steps.length === 0) return <p className="small quiet">{t('whatIf.whyHere.none')}</p>;
  return (
    <ol className="steps">
      {steps.map((step, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the steps of one event never change places
        <StepRow key={at} step={step} />
      ))}
    </ol>
  );
}

function StepRow({ step: { step, reason, address, bytes } }: { readonly step: DecisionInfo }) {
  const { t } = useTranslation();
  const format = useFormat();
  const because = useReason(reason);
  return (
    <li data-step={step}>
      <span title={format.exact(bytes)}>
        {t(`whatIf.whyHere.step.${step}`, { bytes: format.bytes(bytes) })}
      </span>
      {because === '' ? null : <span className="step-reason">{because}</span>}
      {address === null ? null : <code>{address}</code>}
    </li>
  );
}

/** The reason in words; one that the page does not know, as the engine names it. */
function useReason(reason: string): string {
  const { i18n } = useTranslation();
  if (reason === 'none') return '';
  const key = `whatIf.whyHere.reason.${reason}`;
  return i18n.exists(key) ? i18n.t(key as never) : reason;
}
