/**
 * Program of the kills at merges: `work` commits a tree on a run's branch and merges it, and `merge` merges a
 * branch by `merge()`, until it dies at a stage. Prints the tip, and the warnings.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { openRepository } from '../../packages/truecast/src/git/repository/repository.ts';
import { mergeToHead } from '../../packages/truecast/src/git/worktree/merge.ts';
import { merge } from '../../packages/truecast/src/run/merge/merge.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { lockWorktree } from '../../packages/truecast/src/git/worktree/worktree.ts';

const [path = '', what = '', name = '', tree = '', kind = ''] = process.argv.slice(2);
/** The first git call of each stage of a merge, before which this process dies. */
const STAGES: Readonly<Record<string, string>> = {
  plan: 'merge-base',
  review: 'diff-tree',
  landing: 'merge --quiet',
};
const call = { timeoutMs: 600_000 };
const onWarning = (message: string): void => void process.stdout.write(`${message}\n`);
const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: path, encoding: 'utf8' }).trim();

if (what === 'merge') await mergeUntil(tree);
else await work();

async function mergeUntil(stage: string): Promise<void> {
  const call = STAGES[stage];
  const folder = mkdtempSync(join(tmpdir(), 'truecast-killing-git-'));
  if (call !== undefined) putKillingGit(folder, call);
  try {
    const { isMerged } = await merge(name, {
      cwd: path,
      sandbox: noSandbox(),
      onWarning,
      timeouts: { mergeToHostMs: 600_000, gitSetupMs: 600_000 },
      check() {
        if (stage === 'check') process.kill(process.pid, 'SIGKILL');
        return undefined;
      },
    });
    process.stdout.write(`merged ${isMerged}\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Puts a git on the path that kills this process instead of a call. */
function putKillingGit(folder: string, call: string): void {
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const file = join(folder, 'git');
  const dies = `case " $* " in *" ${call} "*) kill -9 ${process.pid}; exit 1;; esac`;
  writeFileSync(file, `#!/bin/sh\n${dies}\nexec '${real}' "$@"\n`);
  chmodSync(file, 0o755);
  process.env['PATH'] = `${folder}${delimiter}${process.env['PATH']}`;
}

/** The worktree has no files, because only the merge is to be killed. */
async function work(): Promise<void> {
  const place = join(path, '.truecast', 'worktrees', name);
  git('worktree', 'add', '--quiet', '--no-checkout', '-b', name, place);
  const repository = await openRepository(path, call);
  const now = new Date();
  const branchStrategy = { type: 'branch', branch: name } as const;
  const worktree = await lockWorktree({
    repository,
    branchStrategy,
    command: 'proof',
    now,
    onWarning: () => undefined,
    ...call,
  });
  const tip = git('commit-tree', '-m', name, '-p', repository.headSha, tree);
  git('update-ref', `refs/heads/${name}`, tip);
  if (kind === 'diverged') git('commit', '--quiet', '--allow-empty', '-m', 'meanwhile');
  process.stdout.write(`tip ${tip}\n`);
  await mergeToHead({ worktree, now, onWarning, ...call });
}
