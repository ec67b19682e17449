import { useTranslation } from 'react-i18next';
import { COMMAND_GROUPS, type CommandId, commandIds, commandOf, keysOf } from '../../commands/commands.ts';
import { writeKeys } from '../../commands/keys.ts';
import { usePlatform } from '../../engine/platform.ts';

/** Every command with its keys, from the table that runs them, and what the pointer does. */
export function Help() {
  const { t } = useTranslation();
  return (
    <div className="help">
      {COMMAND_GROUPS.map((group) => (
        <section key={group}>
          <h3>{t(`help.group.${group}`)}</h3>
          <dl className="pairs">
            {commandIds
              .filter((id) => commandOf(id).group === group)
              .map((id) => (
                <HelpRow key={id} id={id} />
              ))}
          </dl>
        </section>
      ))}
      <section>
        <h3>{t('help.pointer')}</h3>
        <dl className="pairs">
          {(['click', 'drag', 'wheel', 'shiftWheel', 'doubleClick'] as const).map((gesture) => (
            <div className="help-row" key={gesture}>
              <dt>{t(`help.gesture.${gesture}.does`)}</dt>
              <dd>
                <kbd className="key">{t(`help.gesture.${gesture}.name`)}</kbd>
              </dd>
            </div>
          ))}
        </dl>
      </section>
    </div>
  );
}

function HelpRow({ id }: { readonly id: CommandId }) {
  const { t } = useTranslation();
  const { kind, isMac } = usePlatform();
  return (
    <div className="help-row">
      <dt>{t(`commands.${id}`)}</dt>
      <dd>
        {keysOf(id, kind).map((keys) => (
          <kbd className="key" key={writeKeys(keys, isMac)}>
            {writeKeys(keys, isMac)}
          </kbd>
        ))}
      </dd>
    </div>
  );
}
