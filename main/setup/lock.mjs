import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { at } from './paths.mjs';

const lock = at('dist', '.setup-lock');

/**
 * Runs `work` while no other set-up runs in this checkout; the lock of a process that is gone is taken over.
 *
 * @param {() => Promise<void>} work
 * @param {(owner: number) => void} onWait called once when another process holds the lock
 */
export async function alone(work, onWait) {
  let hasWaited = false;
  while (!take()) {
    const owner = readOwner();
    if (owner !== null && !isAlive(owner)) rmSync(lock, { force: true });
    else if (owner !== null && !hasWaited) onWait(owner);
    hasWaited = true;
    await pause(200);
  }
  const release = () => rmSync(lock, { force: true });
  process.on('exit', release);
  try {
    await work();
  } finally {
    process.off('exit', release);
    release();
  }
}

/** A hard link appears whole or not at all, so nobody reads a lock without an owner. */
function take() {
  mkdirSync(at('dist'), { recursive: true });
  const mine = `${lock}.${process.pid}`;
  writeFileSync(mine, String(process.pid));
  try {
    linkSync(mine, lock);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(mine, { force: true });
  }
}

function readOwner() {
  try {
    return Number(readFileSync(lock, 'utf8'));
  } catch {
    return null;
  }
}

function isAlive(owner) {
  try {
    process.kill(owner, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
