import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FrameInfo } from '../../../app/contract/engine.ts';

/** Frames in the order given; each run of folded ones is one entry. */
export type StackEntry =
  | { readonly kind: 'frame'; readonly frame: FrameInfo; readonly at: number }
  | { readonly kind: 'folded'; readonly frames: readonly FrameInfo[]; readonly at: number };

export function foldStack(stack: readonly FrameInfo[]): readonly StackEntry[] {
  const entries: StackEntry[] = [];
  stack.forEach((frame, at) => {
    const last = entries.at(-1);
    if (!frame.isFolded) entries.push({ kind: 'frame', frame, at });
    else if (last?.kind === 'folded')
      entries[entries.length - 1] = { ...last, frames: [...last.frames, frame] };
    else entries.push({ kind: 'folded', frames: [frame], at });
  });
  return entries;
}

/** "name (file:line)" a line, for the clipboard. */
export function stackText(stack: readonly FrameInfo[]): string {
  return stack
    .map((frame) => (frame.name === '' ? placeOf(frame) : `${frame.name} (${placeOf(frame)})`))
    .join('\n');
}

function placeOf(frame: FrameInfo): string {
  return frame.line > 0 ? `${frame.file}:${frame.line}` : frame.file;
}

/** The program's own frames, innermost first; runs of runtime and library frames are one dotted line each. */
export function Stack({ stack }: { readonly stack: readonly FrameInfo[] }) {
  const { t } = useTranslation();
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  if (stack.length === 0) return <p className="caption">{t('inspector.noStack')}</p>;
  return (
    <ol className="stack">
      {foldStack(stack).map((entry) =>
        entry.kind === 'frame' || opened.has(entry.at) ? (
          (entry.kind === 'frame' ? [entry.frame] : entry.frames).map((frame, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a stack may hold one frame many times
            <li key={`${entry.at} ${at}`} className={frame.isFolded ? 'stack-frame faint' : 'stack-frame'}>
              <span>{frame.name}</span>
              <code className="ellipsis" title={placeOf(frame)}>
                {placeOf(frame).split(/[\\/]/).at(-1)}
              </code>
            </li>
          ))
        ) : (
          <li key={entry.at}>
            <button
              type="button"
              className="stack-folded"
              onClick={() => setOpened(new Set([...opened, entry.at]))}
            >
              {t('inspector.folded', { count: entry.frames.length })}
            </button>
          </li>
        ),
      )}
    </ol>
  );
}
