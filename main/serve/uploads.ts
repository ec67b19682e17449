import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { basename } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { engineError, roomBeside, type TemporaryFile, temporaryFile, type Upload } from '../engine/index.ts';

const BETWEEN_CHECKS = 64 * 1024 ** 2;
const LONGEST_NAME = 255;

/** Files that pages handed over: they wait to be opened, and stay while a trace that was made of them is open. */
export class Uploads {
  readonly #kept = new Map<string, KeptUpload>();

  /** Writes the body of a request to a temporary file and names it. Errors: "upload-too-large". */
  async receive(request: IncomingMessage, name: string): Promise<string> {
    const file = temporaryFile();
    const announced = Number(request.headers['content-length'] ?? 0);
    try {
      if (announced > roomBeside(file.path)) throw tooLarge();
      await pipeline(request, limitedTo(file), createWriteStream(file.path, { mode: 0o600 }));
    } catch (error) {
      file.remove();
      throw error;
    }
    const id = randomBytes(16).toString('base64url');
    this.#kept.set(id, { file, name: shownName(name), users: 0 });
    return id;
  }

  /** The file goes when all who took it have released it: until then it can be opened again, alone or in a set. */
  take(id: string): Upload | undefined {
    const kept = this.#kept.get(id);
    if (kept === undefined) return undefined;
    kept.users += 1;
    let isReleased = false;
    const release = () => {
      if (isReleased) return;
      isReleased = true;
      kept.users -= 1;
      if (kept.users > 0) return;
      this.#kept.delete(id);
      kept.file.remove();
    };
    return { path: kept.file.path, name: kept.name, release };
  }
}

interface KeptUpload {
  readonly file: TemporaryFile;
  readonly name: string;
  users: number;
}

/** Lets bytes through while there is room on the disk, which other programs use, too. */
function limitedTo(file: TemporaryFile): Transform {
  let written = 0;
  let nextCheck = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      written += chunk.length;
      if (written < nextCheck) return done(null, chunk);
      nextCheck = written + BETWEEN_CHECKS;
      if (roomBeside(file.path) > 0) done(null, chunk);
      else done(tooLarge());
    },
  });
}

function tooLarge() {
  return engineError(
    'upload-too-large',
    'The server has not enough free disk space for this file.',
    'Free some space there, or start the server with the path of the file.',
  );
}

/** The last part of the name, as shown on a tab. */
function shownName(name: string): string {
  return basename(name.replaceAll('\\', '/')).slice(0, LONGEST_NAME) || 'capture';
}
