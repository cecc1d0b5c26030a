/**
 * File copies into and out of a container. They run as the container's user, so that no link leads
 * to files hidden from that user.
 */
import { mkdir, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { execa } from 'execa';
import { SandboxError } from '../../errors/sandbox-error.ts';
import { withPrivateExecaDescriptors } from '../../host/inherited-descriptors.ts';
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
    const mode = ((await stat(hostPath)).mode & COPIED_FILE_MODE).toString(8);
    const args = shellArguments(target, COPY_IN, sandboxPath, mode);
    await withPrivateExecaDescriptors((covers) =>
      execa(target.engine, args, { stdio: [{ file: hostPath }, 'pipe', 'pipe', ...covers] }),
    );
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
    try {
      const args = shellArguments(target, COPY_OUT, sandboxPath);
      await withPrivateExecaDescriptors((covers) =>
        execa(target.engine, args, {
          stdio: ['ignore', { file: hostPath }, 'pipe', ...covers],
          buffer: { stdout: false },
        }),
      );
    } catch (error) {
      await rm(hostPath, { force: true });
      throw error;
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

async function copying(from: string, to: string, task: () => Promise<void>): Promise<void> {
  try {
    await task();
  } catch (cause) {
    const said =
      cause instanceof Error && 'stderr' in cause ? firstLine(String(cause.stderr)) : String(cause);
    throw new SandboxError(
      `Cannot copy \`${from}\` to \`${to}\`: ${said}. Check that the source is a file and that the target is writable.`,
      { code: 'copy', cause },
    );
  }
}
