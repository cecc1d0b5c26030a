/** Owns one started bubblewrap sandbox: its folder, its commands, its files, its proxy. */
import { SandboxError } from '../../../errors/sandbox-error.ts';
import { UsageError } from '../../../errors/usage-error.ts';
import { createRunningCommands } from '../../process/running-commands.ts';
import { findMovedMountPoint } from './arguments.ts';
import { prepareBubblewrap, type PreparedBubblewrap } from './prepare-bubblewrap.ts';
import { runInBubblewrap, runInteractivelyInBubblewrap } from './command.ts';
import type { BubblewrapOptions } from './bubblewrap-options.ts';
import { resolveInside } from './mounts.ts';
import { copyFromGuest, copyToGuest, type GuestRoot } from './guest-files.ts';
import { inspectGitPaths, watchCommonDir } from '../inspect-git-paths.ts';
import { watchReadonlyGitPaths } from '../watch-readonly-git-paths.ts';
import type { SandboxCreateOptions, SandboxHandle } from '../sandbox-provider.ts';

/**
 * Starts a sandbox.
 *
 * @throws SandboxError `unavailable` without bubblewrap; UsageError for a mount that does not exist, or `egress: "model"` for an
 * agent that has no way to its model
 */
export async function startBubblewrap(
  created: SandboxCreateOptions,
  options: BubblewrapOptions & { readonly homePath: string },
): Promise<SandboxHandle> {
  created.signal?.throwIfAborted();
  if (options.egress === 'model' && created.modelAccess === undefined) {
    const message =
      "`egress: 'model'` needs to know how the agent reaches its model. Use an agent that says so, or `egress: 'host'`.";
    throw new UsageError(message, { code: 'unsupported' });
  }
  const prepared = await prepareBubblewrap(created, options);
  return createHandle(prepared);
}

function createHandle(prepared: PreparedBubblewrap): SandboxHandle {
  const { layout, egress } = prepared;
  const { homePath, worktreePath } = layout;
  const commands = createRunningCommands('bubblewrap', prepared.free);
  const inside = (path: string): string => resolveInside(path, { homePath, worktreePath });
  const roots = guestRoots(prepared);
  return {
    worktreePath,
    homePath,
    streamsChunks: true,
    egress: egress.policy,
    ...(egress.modelBaseUrl !== undefined && { modelBaseUrl: egress.modelBaseUrl }),
    observeEgress: egress.observe,
    exec: (command, options = {}) =>
      commands.run(
        (own) =>
          guarded(prepared, own, (signal) =>
            runInBubblewrap(prepared, command, { ...options, signal, cwd: inside(options.cwd ?? '.') }),
          ),
        options.signal,
      ),
    interactiveExec: (args, { cwd = '.', signal: callerSignal, ...streams }) =>
      commands.run(
        (own) =>
          guarded(prepared, own, (signal) =>
            runInteractivelyInBubblewrap(prepared, args, { ...streams, signal, cwd: inside(cwd) }),
          ),
        callerSignal,
      ),
    copyFileIn: (hostPath, sandboxPath) => copyToGuest(roots, hostPath, inside(sandboxPath)),
    copyFileOut: (sandboxPath, hostPath) => copyFromGuest(roots, inside(sandboxPath), hostPath),
    close: () => commands.close(),
  };
}

/** Around every command: before it, what an earlier one did to the places to mount on; during and after it, to git's folders. */
async function guarded<T>(
  prepared: PreparedBubblewrap,
  signal: AbortSignal,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  assertMountPoints(prepared);
  const { git } = prepared.layout;
  if (git === undefined) return task(signal);
  const trapped = new AbortController();
  const onTrap = (error: SandboxError): void => trapped.abort(error);
  const unwatch = [watchCommonDir(git, onTrap), watchReadonlyGitPaths(git, onTrap)];
  try {
    return await task(AbortSignal.any([signal, trapped.signal]));
  } finally {
    for (const end of unwatch) end();
    await inspectGitPaths(git, prepared.knownLinks);
  }
}

function guestRoots({ layout }: PreparedBubblewrap): readonly GuestRoot[] {
  const { folder, homePath, worktreePath, mounts } = layout;
  return [
    { hostPath: folder.homePath, sandboxPath: homePath, readonly: false },
    { hostPath: worktreePath, sandboxPath: worktreePath, readonly: false },
    ...mounts,
  ];
}

function assertMountPoints({ layout }: PreparedBubblewrap): void {
  const moved = findMovedMountPoint(layout);
  if (moved === undefined) return;
  throw new SandboxError(
    `The guest put a link at \`${moved}\`, where a mount of yours belongs. Look at what this agent did before you trust its work.`,
    { code: 'escape-attempt' },
  );
}
