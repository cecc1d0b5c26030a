/** Git calls with access to the quarantine: received objects first, then the repository's. */
import { join } from 'node:path';
import type { GitOptions } from '../../git/command/git.ts';
import { incomingFolder, type GuestStore } from '../store/guest-store.ts';

const MIN_TIMEOUT_MS = 60_000;

/** Returns the options. Git writes new objects to the quarantine. */
export function incomingCall(
  store: GuestStore,
  limits: Partial<Pick<GitOptions, 'timeoutMs' | 'signal'>> = {},
): GitOptions {
  const { commonDir } = store;
  return {
    timeoutMs: limits.timeoutMs ?? MIN_TIMEOUT_MS,
    signal: limits.signal,
    cwd: commonDir,
    paths: { gitDir: commonDir, commonDir, workTree: commonDir },
    objects: { folder: incomingFolder(store), alternate: join(commonDir, 'objects') },
  };
}
