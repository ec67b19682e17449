import { Menu } from '@base-ui/react/menu';
import { useTranslation } from 'react-i18next';
import type { SimulatorInfo } from '../../../app/contract/simulation.ts';
import { Icon } from '../../design/icons.tsx';
import { usePlatform } from '../../engine/platform.ts';
import { useRunWords } from './run-words.ts';
import { addRun } from './what-if-calls.ts';
import type { PlaceKey } from './what-if-store.ts';

interface Props {
  readonly placeKey: PlaceKey;
  readonly simulators: readonly SimulatorInfo[];
  readonly isDisabled: boolean;
}

/** A run of any allocator, with its defaults; the inspector has its knobs. */
export function AddRun({ placeKey, simulators, isDisabled }: Props) {
  const { t } = useTranslation();
  const { engine } = usePlatform();
  const words = useRunWords();
  return (
    <Menu.Root>
      <Menu.Trigger className="button" disabled={isDisabled} title={t('whatIf.addWhy')}>
        <Icon name="plus" isSmall />
        {t('whatIf.add')}
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align="end" className="menu-place">
          <Menu.Popup className="menu float add-run" aria-label={t('whatIf.addMenu')}>
            {simulators.map(({ name, isModel }) => (
              <Menu.Item
                key={name}
                className="menu-entry"
                onClick={() => addRun(engine, placeKey, { allocator: name, settings: {} })}
              >
                <span />
                <span>{words.allocator(name)}</span>
                <span className="faint">{isModel ? t('whatIf.model') : words.caption(name)}</span>
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
