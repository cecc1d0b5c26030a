/**
 * Files that the user allowed to name variables of the environment, by their content, in the state
 * folder of their repository. A change of a file needs a new permission (prior art: direnv).
 */
import { createHash } from 'node:crypto';
import { lstatSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { ensureStateFolder, stateFolderOf } from './state-folder.ts';

/** Returns true if the user allowed a file with exactly this text in its repository. */
export function isAllowedFile(path: string, text: string): boolean {
  try {
    return (
      lstatSync(noteOf(stateFolderOf(dirname(resolve(path))), text), { throwIfNoEntry: false })?.isFile() ===
      true
    );
  } catch (error) {
    // Without a state folder nothing was allowed.
    if (UsageError.isInstance(error)) return false;
    throw error;
  }
}

/** Allows a text. @throws UsageError `no-state-folder` */
export function allowFile(path: string, text: string): void {
  const stateFolder = stateFolderOf(dirname(resolve(path)));
  ensureStateFolder(stateFolder, 'allowed');
  writeFileSync(noteOf(stateFolder, text), `${resolve(path)}\n`, { mode: 0o600 });
}

/** Takes the permission back. */
export function forbidFile(path: string, text: string): void {
  rmSync(noteOf(stateFolderOf(dirname(resolve(path))), text), { force: true });
}

/** Readers decode a byte order mark differently. It has no meaning. */
function noteOf(stateFolder: string, text: string): string {
  const hash = createHash('sha256')
    .update(text.replace(/^\uFEFF/u, ''))
    .digest('hex');
  return join(stateFolder, 'allowed', hash);
}
