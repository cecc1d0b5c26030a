/**
 * Adapter from a machine behind a service's API to the machine interface of an isolated sandbox.
 */
import { randomUUID } from 'node:crypto';
import { readFile, rm, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { quoteArgument } from '../../support/shell-quote.ts';
import { createRunningCommands } from '../../process/running-commands.ts';
import { spawnCommand } from '../../process/spawn-command.ts';
import { makeTemporaryFolder } from '../../process/temporary-folder.ts';
import type { IsolatedSandboxHandle } from './isolated-handle.ts';
import { runLine, runRemote, type RemotePlace, type RemoteShell } from './remote-commands.ts';

export interface RemoteMachineOptions {
  readonly shell: RemoteShell;
  readonly worktreePath: string;
  readonly env: Readonly<Record<string, string>>;
  /** Kept tail of streamed output, in UTF-16 units. @default 65536 */
  readonly maxTailChars?: number;
  /** Copies a file to the host, and creates its parent folders. */
  download(path: string, hostPath: string): Promise<void>;
  /** Returns the machine to the service. */
  stop(): Promise<void>;
}

/** Creates the handle of a started machine. A machine that cannot be used is stopped. */
export async function openRemoteMachine(options: RemoteMachineOptions): Promise<IsolatedSandboxHandle> {
  const { shell, worktreePath, env, maxTailChars, stop } = options;
  const folder = `/tmp/truecast-${randomUUID()}`;
  const place: RemotePlace = {
    cwd: worktreePath,
    env,
    folder,
    ...(maxTailChars !== undefined && { maxTailChars }),
  };
  const paths = [worktreePath, folder].map(quoteArgument).join(' ');
  const commands = createRunningCommands(shell.name, async () => {
    await runLine(shell, `rm -rf -- ${quoteArgument(folder)}`).catch(() => undefined);
    await stop();
  });
  try {
    const exitCode = await runLine(shell, `umask 077; mkdir -p -- ${paths}`);
    if (exitCode !== 0) {
      throw new SandboxError(
        `The sandbox \`${shell.name}\` cannot create the folder \`${worktreePath}\`. Check its image and its user.`,
        { code: 'start', exitCode },
      );
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    worktreePath,
    streamsChunks: true,
    exec: (command, given = {}) =>
      commands.run((signal) => runRemote(shell, place, command, { ...given, signal }), given.signal),
    copyIn: (hostPath, sandboxPath) => copyIn(shell, place, hostPath, sandboxPath),
    copyFileOut: (sandboxPath, hostPath) => options.download(sandboxPath, hostPath),
    close: () => commands.close(),
  };
}

async function copyIn(
  shell: RemoteShell,
  { folder }: RemotePlace,
  hostPath: string,
  sandboxPath: string,
): Promise<void> {
  if (!(await stat(hostPath)).isDirectory()) {
    await shell.upload(sandboxPath, await readFile(hostPath));
    return;
  }
  const archive = posix.join(folder, `${randomUUID()}.tar.gz`);
  await shell.upload(archive, await packFolder(hostPath));
  const [from, to] = [archive, sandboxPath].map(quoteArgument);
  const exitCode = await runLine(shell, `mkdir -p -- ${to} && tar -C ${to} -xzf ${from} && rm -f -- ${from}`);
  if (exitCode === 0) return;
  throw new SandboxError(
    `The folder \`${hostPath}\` could not be unpacked in the sandbox. Check that \`tar\` is installed there and that disk space is free.`,
    {
      code: 'copy',
      exitCode,
    },
  );
}

/** One archive needs one request, whatever the number of files. */
async function packFolder(hostPath: string): Promise<Buffer> {
  const folder = await makeTemporaryFolder('copy');
  try {
    const archive = join(folder, 'files.tar.gz');
    const { exitCode, stderr } = await spawnCommand({
      file: 'tar',
      args: ['-C', hostPath, '-czf', archive, '.'],
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '' },
    });
    if (exitCode === 0) return await readFile(archive);
    throw new SandboxError(
      `The folder \`${hostPath}\` could not be packed. Install \`tar\`, and check that all of its files are readable.`,
      {
        code: 'copy',
        exitCode,
        stderrTail: stderr,
      },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
