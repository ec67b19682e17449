import { useLayoutEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../design/icons.tsx';
import { type Platform, usePlatform } from '../engine/platform.ts';
import { useFrame } from '../state/frame.ts';
import { noProfilesIn, openFile, openMany, refusedFile } from '../state/openings.ts';

const carriesFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;

/** Folders that the platform cannot hand over are read here: what is in them is offered. */
function openDropped(platform: Platform, { files, items }: DataTransfer): void {
  const entries = [...items].filter((item) => item.kind === 'file').map((item) => item.webkitGetAsEntry());
  const isRead = [...files].map((_, at) => platform.fromDroppedFolder !== null && isFolder(entries[at]));
  void openMany(platform.engine, [...files].filter((_, at) => !isRead[at]).map(platform.fromDrop));
  for (const [at, entry] of entries.entries())
    if (isRead[at] && isFolder(entry)) void offerFolder(platform, entry);
}

function isFolder(entry: FileSystemEntry | null | undefined): entry is FileSystemDirectoryEntry {
  return entry?.isDirectory ?? false;
}

async function offerFolder(platform: Platform, entry: FileSystemDirectoryEntry): Promise<void> {
  const offered = await platform.fromDroppedFolder?.(entry);
  if (offered === undefined) return;
  if (offered.runs.length > 0) return useFrame.getState().offerRuns(offered);
  void openFile(platform.engine, refusedFile(entry.name, noProfilesIn(entry.name)));
}

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
      if (event.dataTransfer !== null) openDropped(platform, event.dataTransfer);
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
