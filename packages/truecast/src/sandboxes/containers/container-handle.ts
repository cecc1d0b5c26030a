/** A started container as a sandbox: mounts, commands, files and network. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { createRunningCommands } from '../../process/running-commands.ts';
import { resolveInside } from '../shared/mounts.ts';
import type {
  BindMountSandboxProvider,
  SandboxCreateOptions,
  SandboxHandle,
} from '../../ports/sandbox-provider.ts';
import { CONTAINER_HOME } from './container-arguments.ts';
import {
  runInContainer,
  runInteractivelyInContainer,
  type CommandTarget,
  commandArguments,
  signalInside,
  type ContainerCommand,
} from './container-command.ts';
import type { GuestStream } from '../../guest-git/receive/read-stream.ts';
import type { EngineName } from './container-engine.ts';
import { copyIntoContainer, copyOutOfContainer } from './container-files.ts';
import { DEFAULT_FILE_BYTES, unenforcedContainerLimits } from './container-limits.ts';
import { handOverPort, withoutNetwork } from '../shared/guest-git-options.ts';
import { openContainer, type OpenContainer } from './open-container.ts';
import type { EngineOptions } from './prepare-container.ts';
import { spawnStream } from '../../process/spawn-stream.ts';
import { hostEnvironment } from '../../support/search-path.ts';

/** Returns the provider of an engine, whose options were checked. */
export function containerProvider(engine: EngineName, options: EngineOptions): BindMountSandboxProvider {
  return {
    name: engine,
    tag: 'bind-mount',
    hasOwnGit: true,
    env: { ...options.env },
    sandboxHomedir: CONTAINER_HOME,
    ...(options.egress !== undefined && { egress: options.egress }),
    enforcesEgress: true,
    create: (created) => createContainerSandbox(engine, created, withoutNetwork(created, options)),
  };
}

/**
 * Starts a container as a sandbox.
 *
 * @throws SandboxError `unavailable` or `start` with advice; UsageError for a mount that does not
 *   exist, or an `egress` that this agent does not support
 */
async function createContainerSandbox(
  engine: EngineName,
  created: SandboxCreateOptions,
  options: EngineOptions,
): Promise<SandboxHandle> {
  created.signal?.throwIfAborted();
  if (options.egress === 'model' && created.modelAccess === undefined) {
    throw new UsageError(
      "`egress: 'model'` needs an agent with model access through a proxy. Use another agent, or set `egress: 'host'`.",
      { code: 'unsupported' },
    );
  }
  const { maxOutputTailChars, fileBytes = DEFAULT_FILE_BYTES } = options;
  const tail = maxOutputTailChars === undefined ? {} : { maxTailChars: maxOutputTailChars };
  return createHandle(await openContainer(engine, created, options), created, { ...tail, fileBytes });
}

function createHandle(
  opened: OpenContainer,
  { worktreePath }: SandboxCreateOptions,
  { fileBytes, ...tail }: { readonly maxTailChars?: number; readonly fileBytes: number },
): SandboxHandle {
  const { egress, layout, withEnvironment, guestGit } = opened;
  const { engine, name, user } = layout;
  const target = { engine, name, user: `${user.uid}:${user.gid}`, fileBytes };
  const commands = createRunningCommands(engine, () => opened.free());
  const inside = (path: string): string => resolveInside(path, { homePath: CONTAINER_HOME, worktreePath });
  return {
    worktreePath,
    homePath: CONTAINER_HOME,
    streamsChunks: true,
    egress: egress.policy,
    enforcesEgress: true,
    unenforcedLimits: unenforcedContainerLimits(layout.limits),
    ...(egress.modelBaseUrl !== undefined && { modelBaseUrl: egress.modelBaseUrl }),
    observeEgress: egress.observe,
    exec: (command, options = {}) =>
      commands.run((signal) => {
        guestGit?.touch();
        const call = { ...options, ...tail, signal, cwd: inside(options.cwd ?? '.') };
        return withEnvironment(options, (id) =>
          egress.during(options.isAgent, () => runInContainer(target, command, { ...call, id })),
        );
      }, options.signal),
    interactiveExec: (args, { cwd = '.', env, signal: callerSignal, ...streams }) =>
      commands.run((signal) => {
        guestGit?.touch();
        return withEnvironment({ isAgent: true, ...(env !== undefined && { env }) }, (id) =>
          egress.during(true, () =>
            runInteractivelyInContainer(target, args, { ...streams, signal, id, cwd: inside(cwd) }),
          ),
        );
      }, callerSignal),
    ...handOverPort(guestGit, commands, (script) => openStream(opened, target, script)),
    copyFileIn: (hostPath, sandboxPath) =>
      commands.run(() => copyIntoContainer(target, hostPath, inside(sandboxPath))),
    copyFileOut: (sandboxPath, hostPath) =>
      commands.run(() => copyOutOfContainer(target, inside(sandboxPath), hostPath)),
    close: () => commands.close(),
  };
}

/** The environment file is removed after the script has ended. */
async function openStream(
  { withEnvironment, layout }: OpenContainer,
  target: CommandTarget,
  script: string,
): Promise<GuestStream> {
  const opened = Promise.withResolvers<GuestStream>();
  withEnvironment({}, async (id) => {
    const stream = await streamFromContainer(target, script, { id, cwd: layout.worktreePath });
    opened.resolve(stream);
    await stream.ended;
  }).catch(opened.reject);
  return opened.promise;
}

/**
 * Starts a script. Ending only the engine's client would leave it running, so it is also ended
 * inside.
 */
function streamFromContainer(
  target: CommandTarget,
  script: string,
  { id, cwd }: ContainerCommand,
): Promise<GuestStream> {
  return spawnStream({
    file: target.engine,
    args: commandArguments(target, target.user, { id, cwd, command: script, isAgent: false }),
    env: hostEnvironment(),
    onKill: () => signalInside(target, target.user, id, 'KILL'),
  });
}
