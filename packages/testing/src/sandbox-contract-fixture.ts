/** Test fixture of the sandbox contract: repository, worktree and helpers. */
import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { appendFile, mkdir, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { SandboxCreateOptions } from 'truecast/internal/ports/sandbox-provider';

/** A fresh repository with a linked worktree on the branch `work`. */
export interface ContractFixture {
  readonly folder: string;
  readonly worktreePath: string;
  readonly options: SandboxCreateOptions;
  /** Runs git on the host, in the repository. */
  readonly git: (...args: readonly string[]) => Promise<string>;
  /** A command that never ends, and the number of its processes on this host. */
  readonly countLeft: { readonly command: string; count(): Promise<number> };
  /**
   * Gives this process a private temporary folder until `remove`. Returns a function that lists it.
   */
  useOwnTemporaryFolder(): Promise<() => Promise<readonly string[]>>;
  remove(): Promise<void>;
}

const run = promisify(execFile);
const SETTINGS = '[user]\n\tname = Contract\n\temail = contract@localhost\n[maintenance]\n\tauto = false\n';

/** Creates a fixture. The caller removes it. */
export async function createContractFixture(): Promise<ContractFixture> {
  const temporary = process.env['TMPDIR'];
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'contract ')));
  const repository = join(folder, 'repository');
  const worktreePath = join(folder, 'work tree');
  const env = { ...process.env, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
  const git = async (...args: readonly string[]): Promise<string> =>
    (await run('git', ['-C', repository, ...args], { env })).stdout.trim();
  const commonDir = join(repository, '.git');
  await run('git', ['init', '-q', '-b', 'main', repository], { env });
  // Files are written and read here: a fixture starts three programs instead of seven.
  await appendFile(join(commonDir, 'config'), SETTINGS);
  await git('commit', '-q', '--allow-empty', '-m', 'begin');
  await git('worktree', 'add', '-q', '-b', 'work', worktreePath);
  const gitDir = (await readFile(join(worktreePath, '.git'), 'utf8')).trim().slice('gitdir: '.length);
  return {
    folder,
    worktreePath,
    git,
    options: { worktreePath, hostRepoPath: repository, mounts: [], env: {}, git: { commonDir, gitDir } },
    countLeft: countable(),
    async useOwnTemporaryFolder() {
      const own = join(folder, 'tmp');
      await mkdir(own);
      process.env['TMPDIR'] = own;
      return () => readdir(own);
    },
    async remove() {
      if (temporary === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = temporary;
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** A sleep duration that no other process uses identifies these processes. */
function countable(): ContractFixture['countLeft'] {
  const argument = `${randomInt(100_000, 900_000)}.${randomInt(1_000_000)}`;
  const countNow = async (): Promise<number> => {
    const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
    const lines = await Promise.all(
      pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
    );
    return lines.filter((line) => line === `sleep\0${argument}\0`).length;
  };
  return {
    command: `sleep ${argument}`,
    async count() {
      // Killed processes disappear once they are reaped.
      for (let tries = 0; tries < 50 && (await countNow()) > 0; tries += 1) await delay(20);
      return countNow();
    },
  };
}
