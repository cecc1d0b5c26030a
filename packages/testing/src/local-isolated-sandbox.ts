/**
 * Isolated sandbox on this machine: a folder that simulates a remote machine, to test file
 * transfer.
 */
import { assertKind } from '@truecast/core/internal/errors/usage-error';
import { cp, copyFile, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  createIsolatedSandboxProvider,
  type MachineProvider,
} from 'truecast/internal/sandboxes/isolated/create-isolated-sandbox-provider';
import type { IsolatedSandboxHandle } from 'truecast/internal/sandboxes/isolated/isolated-handle';
import { noSandbox } from 'truecast/internal/sandboxes/no-sandbox';

/** Options of `localIsolatedSandbox()`. */
export interface LocalIsolatedSandboxOptions {
  /** Environment of every command inside. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /** Wraps a machine before it is used, to inject failures or to observe it. */
  readonly wrap?: (handle: IsolatedSandboxHandle) => IsolatedSandboxHandle;
  /** Timeout of one transfer step in milliseconds. @default 600_000 */
  readonly syncTimeoutMs?: number;
}

/**
 * Creates a sandbox that shares no files with the host and needs no remote machine. Each machine is
 * a local folder with a separate HOME.
 *
 * For tests only: it protects nothing, because its commands run on the host. Files are transferred
 * as to a real machine.
 *
 * @example
 * ```ts
 * const result = await run({ agent: command({ command: 'git commit -q --allow-empty -m work' }), sandbox: localIsolatedSandbox(), prompt: '' });
 * console.log(result.commits.length);
 * ```
 * @public
 */
export function localIsolatedSandbox(options: LocalIsolatedSandboxOptions = {}): MachineProvider {
  assertKind(options, 'an object', 'options', 'Pass `{ env }`, or leave it out.');
  const { env = {}, wrap = (handle) => handle, syncTimeoutMs } = options;
  return createIsolatedSandboxProvider({
    name: 'local-isolated',
    env,
    ...(syncTimeoutMs !== undefined && { syncTimeoutMs }),
    create: async (given) => wrap(await startMachine(given.env)),
  });
}

async function startMachine(env: Readonly<Record<string, string>>): Promise<IsolatedSandboxHandle> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'truecast-machine-')));
  const worktreePath = join(folder, 'work tree');
  const homePath = join(folder, 'home');
  await Promise.all([mkdir(worktreePath), mkdir(homePath), mkdir(join(folder, 'tmp'))]);
  const shell = await noSandbox().create({
    worktreePath,
    hostRepoPath: worktreePath,
    mounts: [],
    env: {
      GIT_CONFIG_NOSYSTEM: '1',
      ...env,
      HOME: homePath,
      TMPDIR: join(folder, 'tmp'),
    },
  });
  return {
    worktreePath,
    homePath,
    streamsChunks: true,
    exec: (command, options) => shell.exec(command, options),
    async copyIn(hostPath, sandboxPath) {
      await mkdir(dirname(sandboxPath), { recursive: true });
      await cp(hostPath, sandboxPath, { recursive: true, verbatimSymlinks: true });
    },
    async copyFileOut(sandboxPath, hostPath) {
      await mkdir(dirname(hostPath), { recursive: true });
      await copyFile(sandboxPath, hostPath);
    },
    async close() {
      await shell.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
