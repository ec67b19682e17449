import { useTranslation } from 'react-i18next';
import { Icon, type IconName } from '../../design/icons.tsx';
import { usePlatform } from '../../engine/platform.ts';
import { useQuery } from '../../engine/use-query.ts';
import { knownFile, openFile } from '../../state/openings.ts';

const ICONS: Readonly<Record<string, IconName>> = {
  'out-of-memory': 'failure',
  'expandable-segments': 'map',
};

/** The captures that ship with the application. */
export function Samples() {
  const { t, i18n } = useTranslation();
  const platform = usePlatform();
  const { data: samples } = useQuery('samples', {});
  if (samples === null || samples.length === 0) return null;
  /** A sample without words of its own shows its name. */
  const wordsOf = (name: string) =>
    i18n.exists(`samples.${name}.title`)
      ? { title: i18n.t(`samples.${name}.title` as never), why: i18n.t(`samples.${name}.why` as never) }
      : { title: name, why: '' };
  return (
    <section>
      <h2 className="section-head">{t('start.samples')}</h2>
      <ul className="samples">
        {samples.map(({ name }) => {
          const { title, why } = wordsOf(name);
          return (
            <li key={name}>
              <button
                type="button"
                className="card sample"
                onClick={() => void openFile(platform.engine, knownFile({ kind: 'sample', name }, title))}
              >
                <Icon name={ICONS[name] ?? 'timeline'} />
                <span>
                  <b>{title}</b>
                  <span className="small quiet">{why}</span>
                </span>
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
