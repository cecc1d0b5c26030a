/**
 * History property: after any sequence of a guest's commands, only the run's branch differs on the
 * host, and every object is intact.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { SandboxError } from '../../packages/core/src/errors/sandbox-error.ts';
import {
  HAND_OVER_LIMITS,
  handOver,
  type HandOver,
} from '../../packages/truecast/src/guest-git/hand-over.ts';
import type { GuestStore } from '../../packages/truecast/src/guest-git/store/guest-store.ts';
import { layOutStore } from '../../packages/truecast/src/guest-git/store/lay-out-store.ts';
import { storeBinds } from '../../packages/truecast/src/guest-git/store/store-binds.ts';
import { spawnStream, type SpawnedStream } from '../../packages/truecast/src/process/spawn-stream.ts';
import { randomSequence } from './guest-git-sequences.ts';

const SYSTEM = [
  ['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
  ['--ro-bind', '/usr', '/usr', '--symlink', 'usr/bin', '/bin', '--symlink', 'usr/lib', '/lib'],
  ['--symlink', 'usr/lib64', '/lib64', '--ro-bind', '/etc', '/etc', '--proc', '/proc', '--dev', '/dev'],
  ['--tmpfs', '/tmp', '--dir', '/run'],
].flat();
const ENVIRONMENT = {
  PATH: '/usr/bin:/bin',
  HOME: '/tmp',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@localhost',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@localhost',
};
/** Enough on a busy machine: no sequence waits for anything. */
const TIMEOUT_MS = 120_000;

/** Outcome of several sequences. */
export interface HistoryReport {
  readonly handedOver: number;
  readonly refused: number;
  /** Sequences that moved the run's branch. */
  readonly moved: number;
  /** References that were kept aside, outside of the run's branch. */
  readonly recovered: number;
  /** One line per violation, with the number that reproduces it. */
  readonly violations: readonly string[];
}

/** Creates two commits, a tag, a remote-tracking branch, and the worktree on `work`. */
export function prepareHistory(path: string): string {
  const worktree = join(path, '.truecast', 'worktrees', 'work');
  // The sequences change the first file, and go back one commit.
  for (const name of ['kept', 'other']) {
    writeFileSync(join(path, name), `${name}\n`);
    git(path, 'add', '-A');
    git(path, 'commit', '-q', '-m', name);
  }
  git(path, 'tag', 'v1');
  git(path, 'update-ref', 'refs/remotes/origin/main', 'HEAD');
  git(path, 'worktree', 'add', '-q', '-b', 'work', worktree);
  return worktree;
}

/** Runs the sequences `from` to `to` of a seed, each with its own store, in one repository. */
export async function checkHistory(
  path: string,
  { seed, from, to }: { readonly seed: number; readonly from: number; readonly to: number },
): Promise<HistoryReport> {
  const worktree = join(path, '.truecast', 'worktrees', 'work');
  const before = readReferences(path).others;
  const violations: string[] = [];
  const counts = { refused: 0, moved: 0, recovered: 0 };
  for (let number = from; number < to; number += 1) {
    const { store } = await layOutStore({
      worktreePath: worktree,
      gitDir: join(path, '.git', 'worktrees', basename(worktree)),
      commonDir: join(path, '.git'),
      hasOtherOwner: false,
      timeoutMs: TIMEOUT_MS,
    });
    const script = randomSequence(seed, number);
    const outcome: HandOver | Error = await handOver(store, openStream(store, script), {
      ...HAND_OVER_LIMITS,
      timeoutMs: TIMEOUT_MS,
    }).catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
    if (SandboxError.isInstance(outcome) && outcome.code === 'sync') counts.refused += 1;
    else if (outcome instanceof Error) violations.push(`${number}: ${outcome.message}`);
    else {
      counts.moved += outcome.store.baseSha === store.baseSha ? 0 : 1;
      counts.recovered += outcome.recovered.length;
    }
    const { others, recovered } = readReferences(path);
    if (others !== before) violations.push(`${number}: a reference moved\n${script}`);
    rmSync(store.folder, { recursive: true, force: true });
    clean(worktree, recovered);
  }
  const broken = git(path, 'fsck', '--full', '--strict', '--no-dangling');
  if (broken !== '') violations.push(`${from} to ${to}: ${broken}`);
  return { handedOver: to - from - counts.refused, ...counts, violations };
}

/** Without the test runner's helpers, because the long form is a program. */
function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

/**
 * The sequence and the final script run in one sandbox: starting bubblewrap takes longer than
 * either.
 */
function openStream(store: GuestStore, script: string): (final: string) => Promise<SpawnedStream> {
  let work = `G='${store.gitDir}'; cd '${store.worktreePath}'; { ${script}\n} >/dev/null </dev/null\n`;
  return (final) => {
    const binds = storeBinds(store).flatMap((bind) =>
      bind.type === 'empty' ? [] : [bind.readonly ? '--ro-bind' : '--bind', bind.hostPath, bind.sandboxPath],
    );
    const args = [...SYSTEM, ...binds, '--chdir', store.worktreePath, '--', 'sh', '-c', `${work}${final}`];
    work = '';
    return spawnStream({ file: 'bwrap', args, env: ENVIRONMENT });
  };
}

/** The references that no sequence may move, and the names of those that the host made for its work. */
function readReferences(path: string): { readonly others: string; readonly recovered: readonly string[] } {
  const lines = git(path, 'for-each-ref', '--format=%(objectname) %(refname)').split('\n');
  const recovered = lines.filter((line) => line.includes(' refs/truecast/recovered/'));
  const others = lines.filter((line) => !recovered.includes(line) && !line.endsWith(' refs/heads/work'));
  return { others: others.join('\n'), recovered: recovered.map((line) => line.slice(line.indexOf(' ') + 1)) };
}

/** The next sequence starts from the same state, with the objects of the earlier ones. */
function clean(worktree: string, recovered: readonly string[]): void {
  if (recovered.length > 0) {
    const input = recovered.map((name) => `delete ${name}\n`).join('');
    execFileSync('git', ['update-ref', '--stdin'], { cwd: worktree, input });
  }
  for (const name of readdirSync(worktree).filter((one) => one !== '.git')) {
    rmSync(join(worktree, name), { recursive: true, force: true });
  }
  git(worktree, 'reset', '-q', '--hard', 'main');
}
