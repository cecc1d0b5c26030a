/** A git command on the host that reads a guest's pack from its stdin. */
import { spawn } from 'node:child_process';
import { withPrivateDescriptors } from '@truecast/host/internal/inherited-descriptors';
import { programOf, type GitOptions } from '../../git/command/git.ts';
import { drained } from '../../git/command/git-group.ts';

/** A running command with an open stdin. */
export interface FedGit {
  /** Resolves when git can accept more. Data for a command that has ended is dropped. */
  write(data: Uint8Array): Promise<void>;
  /** Closes stdin and waits. Returns git's output if it failed. */
  end(): Promise<string | undefined>;
  kill(): void;
}

const MAX_STDERR_CHARS = 2_000;

/**
 * Starts git in the quarantine that `options` name. It ends with this process, which owns its
 * stdin.
 */
export function feedGit(args: readonly string[], options: GitOptions): FedGit {
  const limits = { ...options, config: [...(options.config ?? []), ...UNPACK_CONFIG] };
  const { file, args: line, env } = programOf(args, limits);
  const child = withPrivateDescriptors(3, (covers) =>
    spawn(file, line, { cwd: options.cwd, env, stdio: ['pipe', 'ignore', 'pipe', ...covers] }),
  );
  const { stdin } = child;
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    stderr = (stderr + chunk).slice(-MAX_STDERR_CHARS);
  });
  // Git stops reading after it rejects an object.
  stdin?.on('error', () => undefined);
  const ended = new Promise<number>((resolve) => {
    child.once('error', () => resolve(1));
    child.once('close', (code) => resolve(code ?? 1));
  });
  return {
    async write(data) {
      if (stdin === null || child.exitCode !== null || stdin.write(data)) return;
      await drained(stdin, ended);
    },
    async end() {
      stdin?.end();
      return (await ended) === 0 ? undefined : stderr || 'git failed';
    },
    kill() {
      child.kill('SIGKILL');
    },
  };
}

/** One thread: the work is small, and a guest must not control how much memory git uses. */
export const UNPACK_CONFIG: readonly string[] = [
  'pack.threads=1',
  'core.bigFileThreshold=64m',
  'fetch.unpackLimit=100',
];
