import { useKeyName, useRunCommand } from '../commands/use-commands.ts';
import { Icon } from '../design/icons.tsx';
import { Tip } from '../frame/tip.tsx';
import { useActiveTrace } from '../state/active-trace.ts';
import { useWords } from './use-words.ts';

/** Every picture has a table twin: the same numbers, complete and sortable. */
export function TableButton() {
  const words = useWords();
  const run = useRunCommand();
  const keyName = useKeyName('table');
  const { isTableOpen } = useActiveTrace();
  return (
    <Tip label={words.t(isTableOpen ? 'table.backTip' : 'table.tip')} keyName={keyName}>
      <button
        type="button"
        className="button ghost"
        aria-label={words.t('table.name')}
        aria-pressed={isTableOpen}
        onClick={() => run('table')}
      >
        <Icon name="table" />
        <span className="wide-only">{words.t('table.name')}</span>
      </button>
    </Tip>
  );
}
