/**
 * Program start on the host, without a shell or inherited descriptors. The program does not outlive
 * this process.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { withPrivateDescriptors } from '@truecast/host/internal/inherited-descriptors';
import { hostEnvironment } from '../support/search-path.ts';
import { trackTree } from './process-tree.ts';

/** Options for starting a program. */
export interface StartProgramOptions {
  /** Its stdin, stdout and stderr. */
  readonly stdio: readonly ['pipe' | 'ignore' | number, 'pipe' | number, 'pipe' | 'ignore' | number];
  /** @default this process's */
  readonly cwd?: string | undefined;
  /** The whole environment. @default `hostEnvironment()` */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * Starts it through a shell on Windows, where npm installs programs as `.cmd` files. The shell
   * gets the arguments unquoted, so they must be constants.
   *
   * @default false
   */
  readonly needsWindowsShell?: boolean | undefined;
}

/**
 * Starts a program in this process's group, so that the terminal's Ctrl-C reaches it. It gets
 * SIGTERM when this process exits. A program that cannot be started emits `error`.
 *
 * @throws Error if the operating system refuses at once, for example for arguments over its limit
 */
export function startProgram(
  file: string,
  args: readonly string[],
  { stdio, cwd, env = hostEnvironment(cwd), needsWindowsShell = false }: StartProgramOptions,
): ChildProcess {
  const isByShell = needsWindowsShell && process.platform === 'win32';
  const child = withPrivateDescriptors(stdio.length, (covers) =>
    spawn(isByShell ? [file, ...args].join(' ') : file, isByShell ? [] : args, {
      cwd,
      env,
      shell: isByShell,
      stdio: [...stdio, ...covers],
      windowsHide: true,
    }),
  );
  const end = (): void => void child.kill('SIGTERM');
  const untrack = trackTree({ terminate: end, kill: end, isAlive: () => child.exitCode === null });
  child.once('close', untrack).once('error', untrack);
  return child;
}
