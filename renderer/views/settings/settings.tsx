import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Choice } from '../../design/choice.tsx';
import { Segmented } from '../../design/segmented.tsx';
import { DEFAULT_SETTINGS, type LanguageChoice, type ThemeChoice, useStore } from '../../state/store.ts';
import { SCALES } from '../../state/stored-settings.ts';

const THEMES: readonly ThemeChoice[] = ['system', 'light', 'dark', 'contrast'];
const LANGUAGES: readonly LanguageChoice[] = ['system', 'en', 'zh-CN'];

/** One page; what is chosen applies at once and is remembered. */
export function Settings() {
  const { t } = useTranslation();
  const settings = useStore((state) => state.settings);
  const update = useStore((state) => state.updateSettings);
  const changed = Object.entries(DEFAULT_SETTINGS).filter(
    ([key, usual]) => settings[key as keyof typeof settings] !== usual,
  ).length;
  const languageName = { system: t('settings.languageSystem'), en: 'English', 'zh-CN': '简体中文' };
  return (
    <main className="view">
      <header className="view-header">
        <div className="view-header-words">
          <h1>{t('frame.settings')}</h1>
          <p aria-live="polite">{t('settings.sentence', { count: changed })}</p>
        </div>
        <div className="view-header-controls">
          <button
            type="button"
            className="button"
            disabled={changed === 0}
            onClick={() => update(DEFAULT_SETTINGS)}
          >
            {t('settings.resetAll')}
          </button>
        </div>
      </header>
      <div className="page settings">
        <h2>{t('settings.look')}</h2>
        <Row
          label={t('settings.theme')}
          usual={t('settings.themes.system')}
          isUsual={settings.theme === DEFAULT_SETTINGS.theme}
        >
          {(labelId) => (
            <Segmented
              labelId={labelId}
              value={settings.theme}
              options={THEMES.map((value) => ({ value, label: t(`settings.themes.${value}`) }))}
              onChange={(theme) => update({ theme })}
            />
          )}
        </Row>
        <Row
          label={t('settings.language')}
          usual={t('settings.languageSystem')}
          isUsual={settings.language === DEFAULT_SETTINGS.language}
        >
          {(labelId) => (
            <Choice
              labelId={labelId}
              value={settings.language}
              options={LANGUAGES.map((value) => ({ value, label: languageName[value] }))}
              onChange={(language) => update({ language })}
            />
          )}
        </Row>
        <Row
          label={t('settings.scale')}
          usual="100 %"
          isUsual={settings.scalePercent === DEFAULT_SETTINGS.scalePercent}
        >
          {(labelId) => (
            <Choice
              labelId={labelId}
              value={String(settings.scalePercent)}
              options={SCALES.map((scale) => ({ value: String(scale), label: `${scale} %` }))}
              onChange={(scale) => update({ scalePercent: Number(scale) })}
            />
          )}
        </Row>
        <Row
          label={t('settings.inspector')}
          note={t('settings.inspectorNote')}
          usual={t('settings.shown')}
          isUsual={settings.isInspectorOpen === DEFAULT_SETTINGS.isInspectorOpen}
        >
          {(labelId) => (
            <Segmented
              labelId={labelId}
              value={settings.isInspectorOpen ? 'shown' : 'hidden'}
              options={(['shown', 'hidden'] as const).map((value) => ({
                value,
                label: t(`settings.${value}`),
              }))}
              onChange={(value) => update({ isInspectorOpen: value === 'shown' })}
            />
          )}
        </Row>
        <p className="caption settings-note">{t('settings.motionNote')}</p>
      </div>
    </main>
  );
}

interface RowProps {
  readonly label: string;
  readonly note?: string;
  readonly usual: string;
  readonly isUsual: boolean;
  readonly children: (labelId: string) => ReactNode;
}

function Row({ label, note, usual, isUsual, children }: RowProps) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <div className="settings-row">
      <div>
        <span id={id}>{label}</span>
        {note === undefined ? null : <p className="small quiet">{note}</p>}
      </div>
      <span className="caption">
        {isUsual ? t('settings.default') : t('settings.defaultIs', { value: usual })}
      </span>
      {children(id)}
    </div>
  );
}
