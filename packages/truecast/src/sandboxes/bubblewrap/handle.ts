/** Started bubblewrap sandbox: its folder, its commands, its files, its proxy. */
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { createRunningCommands } from '../../process/running-commands.ts';
import { findMovedMountPoint } from './arguments.ts';
import { prepareBubblewrap, type PreparedBubblewrap } from './prepare-bubblewrap.ts';
import { runInBubblewrap, runInteractivelyInBubblewrap } from './command.ts';
import { type BubblewrapOptions, unenforcedLimits } from './limits.ts';
import { resolveInside, safeMounts } from '../shared/mounts.ts';
import { copyFromGuest, copyToGuest, type GuestRoot } from './guest-files.ts';
import { handOverPort } from '../shared/guest-git-options.ts';
import { createEndingStreams } from '../../guest-git/receive/ending-streams.ts';
import { createStandby, streamFromBubblewrap } from './standby.ts';
import type { OwnGitCreateOptions, OwnGitHandle } from '../../ports/own-git.ts';

/**
 * Starts a sandbox.
 *
 * @throws SandboxError `unavailable` without bubblewrap; UsageError for a missing mount, or for
 *   `egress: "model"` with an agent that does not support it
 */
export async function startBubblewrap(
  created: OwnGitCreateOptions,
  options: BubblewrapOptions & { readonly homePath: string },
): Promise<OwnGitHandle> {
  created.signal?.throwIfAborted();
  if (options.egress === 'model' && created.modelAccess === undefined) {
    const message =
      "`egress: 'model'` needs an agent with model access through a proxy. Use another agent, or set `egress: 'host'`.";
    throw new UsageError(message, { code: 'unsupported' });
  }
  const prepared = await prepareBubblewrap(created, options);
  return createHandle(prepared);
}

function createHandle(prepared: PreparedBubblewrap): OwnGitHandle {
  const { layout, egress } = prepared;
  const { homePath, worktreePath } = layout;
  const standby = createStandby(prepared);
  const prepareHandOver = (): void => {
    standby.start();
    layout.guestGit?.prepareHandOver();
  };
  const streams = createEndingStreams();
  const commands = createRunningCommands('bubblewrap', async () => {
    await Promise.all([standby.close(), streams.end()]);
    await prepared.free();
  });
  const inside = (path: string): string => resolveInside(path, { homePath, worktreePath });
  const roots = guestRoots(prepared);
  return {
    worktreePath,
    homePath,
    hostHomePath: layout.folder.homePath,
    streamsChunks: true,
    egress: egress.policy,
    unenforcedLimits: unenforcedLimits(prepared.group !== undefined),
    enforcesEgress: true,
    ...(egress.modelBaseUrl !== undefined && { modelBaseUrl: egress.modelBaseUrl }),
    observeEgress: egress.observe,
    exec: (command, options = {}) =>
      commands.run((signal) => {
        beforeCommand(prepared);
        const onStart = options.isAgent === true ? prepareHandOver : () => undefined;
        const call = { ...options, signal, cwd: inside(options.cwd ?? '.'), onStart };
        return egress.during(options.isAgent, () => runInBubblewrap(prepared, command, call));
      }, options.signal),
    interactiveExec: (args, { cwd = '.', signal: callerSignal, ...streams }) =>
      commands.run((signal) => {
        beforeCommand(prepared);
        const call = { ...streams, signal, cwd: inside(cwd) };
        return egress.during(true, () => runInteractivelyInBubblewrap(prepared, args, call));
      }, callerSignal),
    copyFileIn: (hostPath, sandboxPath) => copyToGuest(roots, hostPath, inside(sandboxPath)),
    copyFileOut: (sandboxPath, hostPath) => copyFromGuest(roots, inside(sandboxPath), hostPath),
    ...handOverPort(layout.guestGit, commands, async (script) => {
      assertMountPoints(prepared);
      const waiting = await standby.take(script);
      return streams.add(waiting ?? (await streamFromBubblewrap(withSafeMounts(prepared), script)));
    }),
    close: () => commands.close(),
  };
}

/** Checks the mount points before every command, because an earlier command can have moved them. */
function beforeCommand(prepared: PreparedBubblewrap): void {
  assertMountPoints(prepared);
  prepared.layout.guestGit?.touch();
}

/** A guest that moved a mount's source still hands over its work. */
function withSafeMounts(prepared: PreparedBubblewrap): PreparedBubblewrap {
  const { layout } = prepared;
  return { ...prepared, layout: { ...layout, mounts: safeMounts(layout.mounts) } };
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
    `The guest created a link at \`${moved}\`, which replaces one of your mounts. Review the work of this agent before you trust it.`,
    { code: 'escape-attempt' },
  );
}
