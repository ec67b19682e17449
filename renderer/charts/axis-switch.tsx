import { useKeyName, useRunCommand } from '../commands/use-commands.ts';
import { Tip } from '../frame/tip.tsx';
import { useActiveTrace } from '../state/active-trace.ts';
import { useWords } from './use-words.ts';

/** In the gutter of the axis: what it counts. With a clock a press changes it, without one it says why. */
export function AxisSwitch() {
  const words = useWords();
  const run = useRunCommand();
  const keyName = useKeyName('axis');
  const { info, axis } = useActiveTrace();
  if (!info.hasClock) {
    return (
      <span className="axis-switch" title={words.t('axis.noClock')}>
        {words.t('axis.byEvent')}
      </span>
    );
  }
  return (
    <Tip label={words.t(axis === 'time' ? 'axis.toEvent' : 'axis.toTime')} keyName={keyName}>
      <button type="button" className="axis-switch" onClick={() => run('axis')}>
        {words.t(axis === 'time' ? 'axis.byTime' : 'axis.byEvent')}
      </button>
    </Tip>
  );
}
