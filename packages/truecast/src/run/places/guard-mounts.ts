/**
 * Guard of read-only mounts: ends commands when the host replaces a file that is mounted read-only.
 *
 * The kernel drops a mount when another file is renamed over its mount point. The guest could then
 * write the new file.
 */
import { lstatSync } from 'node:fs';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import type { SandboxHandle } from '../../ports/sandbox-provider.ts';
import { overrideHandle } from './override-handle.ts';

/** A handle whose commands end when a mount is lost. */
export interface GuardedHandle {
  readonly handle: SandboxHandle;
  /** Ends the guard. Call it before the files themselves are removed. */
  end(): void;
}

/** Polled, because a guest that touches files without end can make the kernel drop watch events. */
const INTERVAL_MS = 50;

/** Guards the mounts of `paths`, which exist on the host. */
export function guardMounts(handle: SandboxHandle, paths: readonly string[]): GuardedHandle {
  if (paths.length === 0) return { handle, end: () => undefined };
  const lost = new AbortController();
  const before = paths.map((path) => ({ path, identity: identityOf(path) }));
  const look = (): void => {
    const replaced = before.find(({ path, identity }) => identityOf(path) !== identity);
    if (replaced !== undefined && !lost.signal.aborted) lost.abort(replacedError(replaced.path));
  };
  const timer = setInterval(look, INTERVAL_MS).unref();
  const guarded = async <T>(
    signal: AbortSignal | undefined,
    start: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    look();
    lost.signal.throwIfAborted();
    const result = await start(signal === undefined ? lost.signal : AbortSignal.any([signal, lost.signal]));
    look();
    lost.signal.throwIfAborted();
    return result;
  };
  const { interactiveExec } = handle;
  const overrides: Pick<SandboxHandle, 'exec' | 'interactiveExec'> = {
    exec: (command, options = {}) =>
      guarded(options.signal, (signal) => handle.exec(command, { ...options, signal })),
    ...(interactiveExec !== undefined && {
      interactiveExec: (args, options) =>
        guarded(options.signal, (signal) => interactiveExec.call(handle, args, { ...options, signal })),
    }),
  };
  return { handle: overrideHandle(handle, overrides), end: () => clearInterval(timer) };
}

function identityOf(path: string): string | undefined {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}

function replacedError(path: string): SandboxError {
  return new SandboxError(
    `\`${path}\` is mounted read-only, but was replaced on the host during the run. The agent could write to the new file, so the command was stopped. Its work is kept. Check this file. Change it only between runs, or let the agent work on its own branch.`,
    { code: 'exec' },
  );
}
