/** Sandbox of the tests of sessions: its home is a host folder, with real commands and real files. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { execa } from 'execa';
import type { SandboxHandle } from '../../ports/sandbox-provider.ts';

/** Returns a handle whose commands run on the host, without the home of its user. */
export function sandboxWithHome(homePath: string, worktreePath: string): SandboxHandle {
  return {
    worktreePath,
    homePath,
    async exec(command, { stdin = '', onLine } = {}) {
      const env = { HOME: '/nonexistent' };
      const result = await execa('sh', ['-c', command], { input: stdin, reject: false, env });
      if (onLine !== undefined && result.stdout !== '') result.stdout.split('\n').forEach(onLine);
      return { stdout: result.stdout, stderr: result.stderr, exitCode: result.exitCode ?? 1 };
    },
    close: async () => undefined,
  };
}

/** Writes a file, and the folders above it. */
export async function putFile(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}
