/** Detached program start: a program of the desktop that continues after this process. */
import { spawn } from 'node:child_process';
import { withPrivateDescriptors } from '@truecast/host/internal/inherited-descriptors';

/**
 * Starts a program in its own process group. Calls `onFailure` if it cannot be started or fails.
 */
export function startDetached(file: string, args: readonly string[], onFailure: () => void): void {
  const child = withPrivateDescriptors(3, (covers) =>
    spawn(file, args, {
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', ...covers],
      windowsHide: true,
    }),
  );
  child.once('error', onFailure).once('exit', (code) => {
    if (code !== 0) onFailure();
  });
  child.unref();
}
