import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { RegionName } from '../../app/contract/engine.ts';
import { formatBytes, formatCount, type Locale } from '../../app/domain/format.ts';
import type english from '../../app/locales/en.json';
import { useLocale } from '../i18n/i18n.ts';

type Paths<Tree> = {
  [Key in keyof Tree & string]: Tree[Key] extends string ? Key : `${Key}.${Paths<Tree[Key]>}`;
}[keyof Tree & string];
type WithoutPlural<Key extends string> = Key extends `${infer Stem}_${'one' | 'other'}` ? Stem : Key;

/** A message of the charts; one that does not exist is an error where it is used. */
export type ChartKey = WithoutPlural<Paths<(typeof english)['charts']>>;

/** The sentences of the charts in the language of the page, and the numbers in it. */
export interface Words {
  readonly locale: Locale;
  /** `values` fill the places of the sentence; `count` chooses its plural. */
  readonly t: (key: ChartKey, values?: Readonly<Record<string, string | number>>) => string;
  /** What a call site without a place in the code is called. */
  readonly site: (kind: 'before' | 'other' | 'unknown' | 'autograd') => string;
  /** Why a region stands empty. */
  readonly unused: (region: RegionName, isOff: boolean) => string;
  readonly bytes: (bytes: number) => string;
  readonly count: (count: number) => string;
}

export function useWords(): Words {
  const { i18n } = useTranslation();
  const locale = useLocale();
  return useMemo(() => {
    // ChartKey has checked the key; i18next's own types would check it a second time, with all others
    const translate = i18n.t.bind(i18n) as unknown as (key: string, values: object) => string;
    const known = new Map<string, string>();
    // most messages have no places to fill, and are asked for again with every frame
    const plain = (key: ChartKey) => {
      const text = known.get(key) ?? translate(`charts.${key}`, {});
      known.set(key, text);
      return text;
    };
    return {
      locale,
      t: (key, values) => (values === undefined ? plain(key) : translate(`charts.${key}`, { ...values })),
      site: (kind) => i18n.t(`site.${kind}`),
      unused: (region, isOff) => (isOff ? i18n.t('region.virtual.off') : i18n.t(`region.${region}.unused`)),
      bytes: (bytes) => formatBytes(bytes, locale),
      count: (count) => formatCount(count, locale),
    };
  }, [i18n, locale]);
}
