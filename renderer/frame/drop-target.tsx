import { useLayoutEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../design/icons.tsx';
import { usePlatform } from '../engine/platform.ts';
import { openMany } from '../state/openings.ts';

const carriesFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;

/** The whole window takes captures that are dropped on it. */
export function DropTarget() {
  const { t } = useTranslation();
  const platform = usePlatform();
  const [isOver, setOver] = useState(false);

  useLayoutEffect(() => {
    const onDragOver = (event: DragEvent) => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      if (event.dataTransfer !== null) event.dataTransfer.dropEffect = 'copy';
      setOver(true);
    };
    const onDragLeave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const onDrop = (event: DragEvent) => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      setOver(false);
      const files = [...(event.dataTransfer?.files ?? [])];
      openMany(platform.engine, files.map(platform.fromDrop));
    };
    addEventListener('dragover', onDragOver);
    addEventListener('dragleave', onDragLeave);
    addEventListener('drop', onDrop);
    return () => {
      removeEventListener('dragover', onDragOver);
      removeEventListener('dragleave', onDragLeave);
      removeEventListener('drop', onDrop);
    };
  }, [platform]);

  if (!isOver) return null;
  return (
    <div className="drop-target">
      <p className="float">
        <Icon name="open" />
        {t('frame.dropHere')}
      </p>
    </div>
  );
}
