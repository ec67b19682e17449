import type { Words } from '../../charts/use-words.ts';

/** What could not be read: hatched over all lanes, of fixed width because nobody knows how long it was. */
export function UnreadSpan({ left, width, words }: { left: number; width: number; words: Words }) {
  return (
    <div className="unread" style={{ left, width }}>
      <span>{words.t('damaged.lengthUnknown')}</span>
    </div>
  );
}
