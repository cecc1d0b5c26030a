/**
 * File copies into and out of a container. They run as the container's user, so that no link can
 * reach files hidden from that user.
 */
import { mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { runProgram, type ProgramResult } from '../../process/run-program.ts';
import { firstLine } from './container-engine.ts';
import type { CommandTarget } from './container-command.ts';

const COPY_IN = 'mkdir -p "${1%/*}/" && cat > "$1" && chmod "$2" "$1"';
const COPY_OUT = '[ -f "$1" ] || { echo "it is not a file" >&2; exit 1; }; cat "$1"';
const COPIED_FILE_MODE = 0o777;

/**
 * Copies a host file into the container, and creates its parent folders. @throws SandboxError
 * `copy`
 */
export async function copyIntoContainer(
  target: CommandTarget,
  hostPath: string,
  sandboxPath: string,
): Promise<void> {
  await copying(hostPath, sandboxPath, async () => {
    const file = await open(hostPath);
    try {
      const mode = ((await file.stat()).mode & COPIED_FILE_MODE).toString(8);
      const args = shellArguments(target, COPY_IN, sandboxPath, mode);
      return await runProgram(target.engine, args, { stdin: file.fd });
    } finally {
      await file.close();
    }
  });
}

/**
 * Copies a file from the container to the host, and creates its parent folders. @throws
 * SandboxError `copy`
 */
export async function copyOutOfContainer(
  target: CommandTarget,
  sandboxPath: string,
  hostPath: string,
): Promise<void> {
  await copying(sandboxPath, hostPath, async () => {
    await mkdir(dirname(hostPath), { recursive: true });
    const args = shellArguments(target, COPY_OUT, sandboxPath);
    const file = await open(hostPath, 'w');
    try {
      const copied = await runProgram(target.engine, args, { stdout: file.fd });
      if (copied.exitCode !== 0) await rm(hostPath, { force: true });
      return copied;
    } finally {
      await file.close();
    }
  });
}

function shellArguments(
  { engine: _engine, name, user }: CommandTarget,
  script: string,
  ...args: readonly string[]
): string[] {
  return ['exec', '--interactive', '--user', user, name, '/bin/sh', '-c', script, 'sh', ...args];
}

async function copying(from: string, to: string, task: () => Promise<ProgramResult>): Promise<void> {
  const failed = (reason: string, cause?: unknown): SandboxError =>
    new SandboxError(
      `Cannot copy \`${from}\` to \`${to}\`: ${reason}. Check that the source is a file and that the target is writable.`,
      { code: 'copy', cause },
    );
  const { exitCode, stderr, startError } = await task().catch((cause: unknown) => {
    throw failed(String(cause), cause);
  });
  if (exitCode !== 0) {
    throw failed(exitCode === undefined ? String(startError) : firstLine(stderr), startError);
  }
}
