/**
 * Sandbox providers as users write them by hand: they support `onLine`, `cwd` and `stdin`, but no
 * abort signal.
 */
import { spawn } from 'node:child_process';
import { cp, copyFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createBindMountSandboxProvider } from '../../packages/truecast/src/sandboxes/shared/create-bind-mount-sandbox-provider.ts';
import type { IsolatedSandboxHandle } from '../../packages/truecast/src/sandboxes/isolated/isolated-handle.ts';
import {
  createIsolatedSandboxProvider,
  type MachineProvider,
} from '../../packages/truecast/src/sandboxes/isolated/create-isolated-sandbox-provider.ts';
import type { SandboxHandle, SandboxProvider } from '../../packages/truecast/src/ports/sandbox-provider.ts';
import { temporaryFolder } from './fixture.ts';

/** Recorded calls of a provider. */
export interface CustomCalls {
  /** `cwd` of each `exec` and `interactiveExec`, unchanged. */
  readonly directories: (string | undefined)[];
  /** Number of `close` calls of all handles. */
  closed: number;
}

/** Creates the call counters of a provider in this file. */
export function customCalls(): CustomCalls {
  return { directories: [], closed: 0 };
}

/** A provider that uses the host's shell and shares the worktree. */
export function customBindMount(calls: CustomCalls = customCalls()): SandboxProvider {
  return createBindMountSandboxProvider({
    name: 'custom',
    env: { FROM_PROVIDER: 'provider' },
    create: ({ worktreePath, env }) => Promise.resolve(shellHandle(worktreePath, env, calls)),
  });
}

/** A provider that uses the host's shell and gets a copy of the worktree. */
export function customIsolated(calls: CustomCalls = customCalls()): MachineProvider {
  return createIsolatedSandboxProvider({
    name: 'custom-isolated',
    env: { FROM_PROVIDER: 'provider' },
    async create({ env }): Promise<IsolatedSandboxHandle> {
      const worktreePath = `${temporaryFolder()}/work`;
      await mkdir(worktreePath);
      return {
        ...shellHandle(worktreePath, env, calls),
        async copyIn(from, to) {
          await mkdir(dirname(to), { recursive: true });
          await cp(from, to, { recursive: true });
        },
        copyFileOut: (from, to) => copyFile(from, to),
      };
    },
  });
}

function shellHandle(
  worktreePath: string,
  env: Readonly<Record<string, string>>,
  calls: CustomCalls,
): SandboxHandle {
  const running = new Set<number>();
  const run = (
    file: string,
    args: readonly string[],
    options: { readonly cwd?: string; readonly stdin?: string; readonly onLine?: (line: string) => void },
  ): Promise<{ stdout: string; stderr: string; exitCode: number }> => {
    calls.directories.push(options.cwd);
    return new Promise((resolve, reject) => {
      const child = spawn(file, args, {
        cwd: options.cwd ?? '/',
        env: { ...process.env, ...env },
        detached: true,
      });
      const pid = child.pid ?? 0;
      running.add(pid);
      let stdout = '';
      let stderr = '';
      let rest = '';
      child.stdout.on('data', (chunk: Buffer) => {
        stdout += chunk.toString();
        const lines = (rest + chunk.toString()).split('\n');
        rest = lines.pop() ?? '';
        lines.forEach((line) => options.onLine?.(line));
      });
      child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
      child.on('error', reject);
      child.on('close', (code) => {
        running.delete(pid);
        resolve({ stdout, stderr, exitCode: code ?? 1 });
      });
      child.stdin.on('error', () => undefined);
      child.stdin.end(options.stdin ?? '');
    });
  };
  return {
    worktreePath,
    exec: (command, options = {}) => run('sh', ['-c', command], options),
    interactiveExec: ([file = '', ...args], { cwd }) => run(file, args, cwd === undefined ? {} : { cwd }),
    close() {
      calls.closed += 1;
      for (const pid of running) process.kill(-pid, 'SIGKILL');
      return Promise.resolve();
    },
  };
}
