/**
 * Access to an isolated sandbox's machine: commands that must succeed, and verified file transfers,
 * each with a timeout.
 */
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { cut } from '@truecast/core/internal/kit/describe-value';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import type { SandboxExecResult } from '../../ports/sandbox-provider.ts';
import type { IsolatedSandboxHandle } from './isolated-handle.ts';
import { inTime } from '../../process/bounded-waits.ts';

/** A machine with the timeout of one step. */
export interface GuestMachine {
  readonly name: string;
  readonly handle: IsolatedSandboxHandle;
  readonly stepTimeoutMs: number;
}

/** Maximum number of attempts to fetch a file. */
const COPY_TRIES = 3;
const PAUSE_BETWEEN_TRIES_MS = 500;

/**
 * Runs a script inside.
 *
 * @throws SandboxError `sync` if it fails or times out
 */
export async function runInside(
  machine: GuestMachine,
  script: string,
  cwd: string,
): Promise<SandboxExecResult> {
  const result = await bounded(machine, 'run git inside', machine.handle.exec(script, { cwd }));
  if (result.exitCode === 0) return result;
  throw new SandboxError(
    `Git inside the sandbox \`${machine.name}\` failed with exit code ${result.exitCode}: ${cut(result.stderr.trim())} Check that \`git\`, \`sh\` and \`tar\` are installed there.`,
    { code: 'sync', exitCode: result.exitCode, stderrTail: result.stderr.slice(-2_000) },
  );
}

/** Copies a file or a folder into the sandbox. */
export async function sendInside(machine: GuestMachine, hostPath: string, path: string): Promise<void> {
  await bounded(machine, `copy \`${hostPath}\` in`, machine.handle.copyIn(hostPath, path));
}

/**
 * Copies a file to the host, and retries if it is incomplete.
 *
 * @throws SandboxError `sync`
 */
export async function fetchOut(
  machine: GuestMachine,
  file: { readonly path: string; readonly hostPath: string; readonly bytes: number },
): Promise<void> {
  await mkdir(dirname(file.hostPath), { recursive: true });
  for (let tries = 1; ; tries += 1) {
    try {
      await bounded(machine, 'send its work', machine.handle.copyFileOut(file.path, file.hostPath));
      const { size } = await stat(file.hostPath);
      if (size === file.bytes) return;
      throw new SandboxError(
        `Expected ${file.bytes} bytes of \`${file.path}\` from the sandbox \`${machine.name}\`, got ${size}. Check the connection to it.`,
        { code: 'sync' },
      );
    } catch (error) {
      if (tries >= COPY_TRIES) throw error;
      await delay(PAUSE_BETWEEN_TRIES_MS);
    }
  }
}

/** Parses the byte count in a script's last output line. */
export function printedBytes({ stdout }: SandboxExecResult): number {
  return Number(stdout.trim().split('\n').at(-1));
}

/** A machine that no longer exists might never answer. */
async function bounded<T>({ name, stepTimeoutMs }: GuestMachine, what: string, step: Promise<T>): Promise<T> {
  return inTime(step, stepTimeoutMs, () => {
    throw new SandboxError(
      `The sandbox \`${name}\` did not ${what} within ${stepTimeoutMs} ms. Check the connection to it, or raise \`syncTimeoutMs\`.`,
      { code: 'sync' },
    );
  });
}
