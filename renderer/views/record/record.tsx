import { type KeyboardEvent, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import {
  RECORD_GROUPS,
  RECORD_GUIDES,
  type RecordGuide,
  type RecordStep,
  recordGuide,
} from '../../../app/help/record.ts';
import { CopyButton } from '../../frame/copy-button.tsx';
import { showRecordGuide, useRecordGuide } from '../../state/record-guide.ts';
import './record.css';

/** How is each kind of capture recorded, what does it show, and what does it cost? */
export function Record() {
  const { t } = useTranslation();
  const guide = recordGuide(useRecordGuide((state) => state.guide));
  return (
    <main className="view record-view" data-view="record">
      <header className="view-header">
        <div className="view-header-words">
          <h1>{t('record.title')}</h1>
          <p>{t('record.sentence')}</p>
        </div>
      </header>
      <div className="record-content">
        <GuideList chosen={guide} />
        <Guide key={guide.id} guide={guide} />
      </div>
    </main>
  );
}

/** The guides by what runs the program; arrow keys go from one to the next. */
function GuideList({ chosen }: { readonly chosen: RecordGuide }) {
  const { t } = useTranslation();
  const list = useRef<HTMLElement>(null);
  // Whoever comes here by a link or a key goes on by keys from what is shown.
  useEffect(() => list.current?.querySelector<HTMLElement>('[aria-current]')?.focus(), []);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = RECORD_GUIDES.indexOf(chosen);
    const next = RECORD_GUIDES[Math.min(RECORD_GUIDES.length - 1, Math.max(0, at + step))];
    if (next === undefined) return;
    showRecordGuide(next.id);
    list.current?.querySelector<HTMLElement>(`[data-guide="${next.id}"]`)?.focus();
  };
  return (
    <nav className="record-list" ref={list} aria-label={t('record.list')} onKeyDown={onKeyDown}>
      {RECORD_GROUPS.map((group) => (
        <section key={group} aria-labelledby={`record-${group}`}>
          <h2 id={`record-${group}`}>{t(`record.group.${group}`)}</h2>
          <ul>
            {RECORD_GUIDES.filter((guide) => guide.group === group).map(({ id }) => (
              <li key={id}>
                <button
                  type="button"
                  data-guide={id}
                  aria-current={id === chosen.id ? 'page' : undefined}
                  onClick={() => showRecordGuide(id)}
                >
                  {t(`record.guides.${id}.name`)}
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}

const PARTS = ['file', 'sees', 'lacks', 'costs', 'since'] as const;

function Guide({ guide: { id, steps } }: { readonly guide: RecordGuide }) {
  const { t } = useTranslation();
  return (
    <article className="record-guide" aria-labelledby="record-guide">
      <h2 id="record-guide">{t(`record.guides.${id}.name`)}</h2>
      <p className="record-for">{t(`record.guides.${id}.for`)}</p>
      {steps.map((step) => (
        <Step key={step.id} step={step} />
      ))}
      <dl className="record-facts">
        {PARTS.map((part) => (
          <div key={part}>
            <dt>{t(`record.part.${part}`)}</dt>
            <dd>{t(`record.guides.${id}.${part}`)}</dd>
          </div>
        ))}
      </dl>
    </article>
  );
}

function Step({ step: { id, language, code } }: { readonly step: RecordStep }) {
  const { t } = useTranslation();
  const isOne = !code.includes('\n');
  return (
    <figure className="record-step">
      <figcaption>
        <span>{t(`record.steps.${id}`)}</span>
        <span className="record-language">{language}</span>
        <CopyButton label={t(isOne ? 'record.copyOne' : 'record.copy')} text={() => code} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll sideways, by keys too */}
      <pre className="mono" tabIndex={0}>
        {code}
      </pre>
    </figure>
  );
}
