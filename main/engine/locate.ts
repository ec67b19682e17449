import { basename } from 'node:path';
import type { FileSource } from '../../app/contract/engine.ts';
import { visibleText } from '../../app/domain/visible-text.ts';
import { engineError } from './errors.ts';
import { samplePath } from './samples.ts';

/** A file that a page handed over; it stays as long as somebody who took it has not released it. */
export interface Upload {
  readonly path: string;
  /** As the user knows it; on the screen unseen signs in it are made visible, so that none passes for another. */
  readonly name: string;
  release(): void;
}

/** Hands over an upload; undefined when there is none of that id. */
export type TakeUpload = (id: string) => Upload | undefined;

/** Where a file lies that is to be opened. */
export interface Located extends Upload {
  /** Null when the path means nothing to the user. */
  readonly shownPath: string | null;
}

/** Errors: "no-such-upload", those of a sample that is not there. */
export function locate(source: FileSource, takeUpload: TakeUpload): Located {
  if (source.kind === 'path') {
    return {
      path: source.path,
      name: visibleText(basename(source.path)),
      shownPath: source.path,
      release() {},
    };
  }
  if (source.kind === 'sample') {
    return { path: samplePath(source.name), name: source.name, shownPath: null, release() {} };
  }
  const upload = takeUpload(source.id);
  if (upload === undefined) {
    throw engineError('no-such-upload', 'This file is not here any more.', 'Drop it on the page again.');
  }
  const { path, name } = upload;
  return { path, name: visibleText(name), shownPath: null, release: () => upload.release() };
}
