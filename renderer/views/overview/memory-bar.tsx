import { useTranslation } from 'react-i18next';
import { useFormat } from '../../i18n/use-format.ts';

export interface Part {
  readonly name: string;
  readonly bytes: number;
  /** A class of controls.css: a fill and, where it must, a pattern. */
  readonly fill: string;
  readonly why: string;
  /** Known only as a bound. */
  readonly isAtMost?: boolean;
}

/** One bar of parts that add up, each named below it with its number. A part that is there is always visible. */
export function MemoryBar({ label, parts }: { readonly label: string; readonly parts: readonly Part[] }) {
  const { t } = useTranslation();
  const format = useFormat();
  const drawn = parts.filter((part) => part.bytes > 0);
  return (
    <div className="memory">
      <div className="memory-bar" aria-hidden="true">
        {drawn.map((part) => (
          <div key={part.name} className={part.fill} style={{ flexGrow: part.bytes }} />
        ))}
      </div>
      <dl className="memory-parts" aria-label={label}>
        {parts.map((part) => (
          <div key={part.name}>
            <dt>
              <i className={`swatch ${part.fill}`} />
              {part.name}
            </dt>
            <dd className="memory-number" title={format.exact(part.bytes)}>
              {part.isAtMost
                ? t('overview.atMost', { bytes: format.bytes(part.bytes) })
                : format.bytes(part.bytes)}
            </dd>
            <dd className="caption">{part.why}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
