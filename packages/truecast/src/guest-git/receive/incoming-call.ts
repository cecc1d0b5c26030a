/** Git calls with access to the quarantine: received objects first, then the repository's. */
import { join } from 'node:path';
import type { GitOptions } from '../../git/command/git.ts';
import { incomingFolder, type GuestStore } from '../store/guest-store.ts';

const MIN_TIMEOUT_MS = 60_000;

/**
 * Limit for git while it reads a guest's objects. A delta of 4 KB can describe an object of many
 * gigabytes, which git builds in memory. Git deltifies files up to 512 MB, so real work fits.
 */
export const UNTRUSTED_MEMORY_BYTES: number = 4 * 1024 ** 3;

/** Returns the options. Git writes new objects to the quarantine. */
export function incomingCall(
  store: GuestStore,
  limits: Partial<Pick<GitOptions, 'timeoutMs' | 'signal'>> = {},
): GitOptions {
  const { commonDir } = store;
  return {
    timeoutMs: limits.timeoutMs ?? MIN_TIMEOUT_MS,
    maxMemoryBytes: UNTRUSTED_MEMORY_BYTES,
    signal: limits.signal,
    cwd: commonDir,
    paths: { gitDir: commonDir, commonDir, workTree: commonDir },
    objects: { folder: incomingFolder(store), alternate: join(commonDir, 'objects') },
  };
}
