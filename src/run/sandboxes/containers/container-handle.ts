/** Owns one started container as a sandbox: what is shown in it, its commands, its files, its network. */
import { UsageError } from '../../../errors/usage-error.ts';
import { createRunningCommands } from '../../process/running-commands.ts';
import { resolveInside } from '../bubblewrap/mounts.ts';
import type { SandboxCreateOptions, SandboxHandle } from '../sandbox-provider.ts';
import { CONTAINER_HOME } from './container-arguments.ts';
import { runInContainer, runInteractivelyInContainer } from './container-command.ts';
import type { EngineName } from './container-engine.ts';
import { copyIntoContainer, copyOutOfContainer } from './container-files.ts';
import { guardContainer } from './guard-container.ts';
import { openContainer, type OpenContainer } from './open-container.ts';
import type { EngineOptions } from './prepare-container.ts';

/**
 * Starts a container as a sandbox.
 *
 * @throws SandboxError `unavailable` or `start` with what to do; UsageError for a mount that does not exist, or an `egress` that
 * this agent cannot have
 */
export async function createContainerSandbox(
  engine: EngineName,
  created: SandboxCreateOptions,
  options: EngineOptions,
): Promise<SandboxHandle> {
  created.signal?.throwIfAborted();
  if (options.egress === 'model' && created.modelAccess === undefined) {
    throw new UsageError(
      "`egress: 'model'` needs to know how the agent reaches its model. Use an agent that says so, or `egress: 'host'`.",
      { code: 'unsupported' },
    );
  }
  const { maxOutputTailChars } = options;
  const tail = maxOutputTailChars === undefined ? {} : { maxTailChars: maxOutputTailChars };
  return createHandle(await openContainer(engine, created, options), created, tail);
}

function createHandle(
  opened: OpenContainer,
  { worktreePath, git }: SandboxCreateOptions,
  tail: { readonly maxTailChars?: number },
): SandboxHandle {
  const { egress, layout, withEnvironment } = opened;
  const { engine, name, user } = layout;
  const target = { engine, name, user: `${user.uid}:${user.gid}` };
  const guard = guardContainer(opened, git);
  const commands = createRunningCommands(engine, async () => {
    await opened.free();
    await guard.end();
  });
  const inside = (path: string): string => resolveInside(path, { homePath: CONTAINER_HOME, worktreePath });
  return {
    worktreePath,
    homePath: CONTAINER_HOME,
    streamsChunks: true,
    egress: egress.policy,
    ...(egress.modelBaseUrl !== undefined && { modelBaseUrl: egress.modelBaseUrl }),
    observeEgress: egress.observe,
    exec: (command, options = {}) =>
      commands.run(
        (own) =>
          guard.run(own, (signal) =>
            withEnvironment(options, (id) =>
              runInContainer(target, command, {
                ...options,
                ...tail,
                signal,
                id,
                cwd: inside(options.cwd ?? '.'),
              }),
            ),
          ),
        options.signal,
      ),
    interactiveExec: (args, { cwd = '.', env, signal: callerSignal, ...streams }) =>
      commands.run(
        (own) =>
          guard.run(own, (signal) =>
            withEnvironment({ isAgent: true, ...(env !== undefined && { env }) }, (id) =>
              runInteractivelyInContainer(target, args, { ...streams, signal, id, cwd: inside(cwd) }),
            ),
          ),
        callerSignal,
      ),
    copyFileIn: (hostPath, sandboxPath) =>
      commands.run(() => copyIntoContainer(target, hostPath, inside(sandboxPath))),
    copyFileOut: (sandboxPath, hostPath) =>
      commands.run(() => copyOutOfContainer(target, inside(sandboxPath), hostPath)),
    close: () => commands.close(),
  };
}
