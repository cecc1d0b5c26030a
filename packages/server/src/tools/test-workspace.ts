/** Workspace for tool tests: a temporary folder without a sandbox. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import type { WorkspaceProvider } from './workspace.ts';

/** A provider whose chats share one folder. */
export interface TestWorkspace extends WorkspaceProvider, AsyncDisposable {
  readonly folder: string;
}

/** Creates the folder. It is deleted when the test ends. */
export async function testWorkspace(): Promise<TestWorkspace> {
  const folder = await mkdtemp(join(tmpdir(), 'truecast-tools-'));
  return {
    folder,
    open: () =>
      Promise.resolve({
        exec: async (command, { signal, timeoutMs, stdin = '', env = {} }) => {
          const options = { cwd: folder, input: stdin, reject: false, stripFinalNewline: false } as const;
          const done = await execa('sh', ['-c', command], {
            ...options,
            env,
            cancelSignal: signal,
            timeout: timeoutMs,
          });
          return { stdout: done.stdout, stderr: done.stderr, exitCode: done.exitCode ?? 137 };
        },
      }),
    list: () => Promise.resolve([]),
    remove: () => Promise.resolve(),
    [Symbol.asyncDispose]: async () => rm(folder, { recursive: true, force: true }),
  };
}
