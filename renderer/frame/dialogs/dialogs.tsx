import { Dialog } from '@base-ui/react/dialog';
import { type ReactNode, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../design/icons.tsx';
import { ActiveTraceProvider } from '../../state/active-trace.ts';
import { type DialogName, useFrame } from '../../state/frame.ts';
import type { TraceState } from '../../state/store.ts';
import { DifferenceTo } from '../../views/difference/difference-to.tsx';
import { ChooseRun } from '../../views/runs/choose-run.tsx';
import { GoTo } from './go-to.tsx';
import { Help } from './help.tsx';
import { Missing } from './missing.tsx';
import { Together } from './together.tsx';

/** The dialog that is open, if any. */
export function Dialogs({ trace }: { readonly trace: TraceState | null }) {
  const { t } = useTranslation();
  return (
    <>
      <OneDialog name="help" title={t('help.title')}>
        <Help />
      </OneDialog>
      <OneDialog name="together" title={t('together.title')}>
        <Together />
      </OneDialog>
      <OneDialog name="runs" title={t('runs.title')}>
        <ChooseRun />
      </OneDialog>
      {trace === null ? null : (
        <ActiveTraceProvider value={trace}>
          <OneDialog name="goTo" title={t('goTo.title')}>
            <GoTo />
          </OneDialog>
          <OneDialog name="missing" title={t('missing.title')}>
            <Missing />
          </OneDialog>
          <OneDialog name="difference" title={t('difference.title')} isWide>
            <DifferenceTo />
          </OneDialog>
        </ActiveTraceProvider>
      )}
    </>
  );
}

interface OneDialogProps {
  readonly name: DialogName;
  readonly title: string;
  /** It holds a table. */
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

function OneDialog({ name, title, isWide = false, children }: OneDialogProps) {
  const { t } = useTranslation();
  const { dialog, openDialog } = useFrame();
  const popup = useRef<HTMLDivElement>(null);
  /** A field is there to be typed into or chosen from; otherwise the usual first control takes the focus. */
  const focusField = () => popup.current?.querySelector<HTMLElement>('input, select, .run-choice') ?? true;
  return (
    <Dialog.Root open={dialog === name} onOpenChange={(isOpen) => openDialog(isOpen ? name : null)}>
      <Dialog.Portal>
        <Dialog.Backdrop className="dialog-backdrop" />
        <Dialog.Popup
          className={`dialog float${isWide ? ' dialog-wide' : ''}`}
          ref={popup}
          initialFocus={focusField}
        >
          <div className="dialog-head">
            <Dialog.Title>{title}</Dialog.Title>
            <Dialog.Close className="button ghost square" aria-label={t('action.close')}>
              <Icon name="close" isSmall />
            </Dialog.Close>
          </div>
          <div className="dialog-body">{children}</div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
