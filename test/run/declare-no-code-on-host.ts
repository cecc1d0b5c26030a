/**
 * Harness for code on the host: a guest attacks, and the user's git works in every folder during
 * and after the run. Any sandbox with a bind mount can be tried.
 */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RepositoryError } from '../../packages/core/src/errors/repository-error.ts';
import { SandboxError } from '../../packages/core/src/errors/sandbox-error.ts';
import type { BranchStrategy } from '../../packages/truecast/src/git/command/branch-strategy.ts';
import type { SensitiveChange } from '@truecast/core/internal/errors/base/run-evidence';
import { run } from '../../packages/truecast/src/run/run.ts';
import type { SandboxProvider } from '../../packages/truecast/src/ports/sandbox-provider.ts';
import { LINKED_WORKTREE_ATTACKS, MAIN_CHECKOUT_ATTACKS } from '../declare-git-escapes.ts';
import { matrixColumns, type MatrixOptions } from '../matrix.ts';
import { git, runOptions, temporaryFolder } from './fixture.ts';
import { COMMITTED, LEFT_BEHIND, prepare, type Seed } from './host-code-seeds.ts';
import { useGitInEveryFolder } from './use-git-in-every-folder.ts';

/** A seed, and where its guest works. */
interface Attempt extends Pick<Seed, 'given' | 'config' | 'script'> {
  readonly title: string;
  readonly strategy: BranchStrategy['type'];
  /** Places where the user works while the guest runs. */
  readonly during: readonly ('checkout' | 'worktree')[];
}

type Attack = (typeof LINKED_WORKTREE_ATTACKS)[number];

/** Attacks on the git directory, which hold while the guest runs too. */
const toAttempt =
  (strategy: 'head' | 'branch') =>
  ([title, attack]: Attack): Attempt => {
    const script = attack('touch MARK');
    // Until the run ends, a repository among the guest's files is not moved aside: git obeys it there.
    const isNested = script.includes('git init -q evil');
    const own = strategy === 'head' ? [] : (['checkout'] as const);
    const guests = strategy === 'head' ? (['checkout'] as const) : (['worktree'] as const);
    const during = isNested ? own : [...own, ...guests];
    return { title, strategy, script, during };
  };

const ATTEMPTS: readonly Attempt[] = [
  ...LINKED_WORKTREE_ATTACKS.map(toAttempt('branch')),
  ...MAIN_CHECKOUT_ATTACKS.map(toAttempt('head')),
  ...COMMITTED.map((seed) => ({ ...seed, strategy: 'merge-to-head', during: ['checkout'] }) as const),
  ...LEFT_BEHIND.flatMap((seed) => [
    { ...seed, strategy: 'head', during: [] } as const,
    { ...seed, strategy: 'branch', during: ['checkout'] } as const,
  ]),
];

/** What a run reports about code on the host. */
type Report = readonly SensitiveChange[];

/** An attempt with its run takes 3 s of processor time in bubblewrap, and 9 s in a container. */
const IN_BUBBLEWRAP: MatrixOptions = { rows: 4, stride: 4 };
const IN_CONTAINER: MatrixOptions = { rows: 20, stride: 20 };

/**
 * Declares one test for each attempt. The short form tries a quarter of them in bubblewrap, and with a `row` of a
 * matrix of engines a twentieth, other ones in each row.
 */
export function declareNoCodeOnHost(sandbox: SandboxProvider, row?: number): void {
  const attempts = matrixColumns(row ?? 0, ATTEMPTS, row === undefined ? IN_BUBBLEWRAP : IN_CONTAINER);
  describe('the harness', () => {
    it('sees a program that git starts', () => {
      const { cwd, mark } = prepare({ config: [['core.fsmonitor', 'touch MARK;false']] });
      useGitInEveryFolder(cwd);
      expect(existsSync(mark)).toBe(true);
    });
  });

  it.each(attempts)('runs nothing on the host: $title, `$strategy`', async (attempt) => {
    const { cwd, mark } = prepare(attempt);
    const remote = join(temporaryFolder(), 'remote');
    git(cwd, 'clone', '-q', '--bare', cwd, remote);
    git(cwd, 'remote', 'add', 'origin', remote);
    const ranDuring: string[] = [];
    let isReady = false;
    const report = await runGuest(attempt, { cwd, mark, sandbox }, () => {
      if (isReady) return;
      isReady = true;
      for (const place of attempt.during) {
        for (const path of place === 'checkout' ? [cwd] : worktreesOf(cwd)) useGitInEveryFolder(path);
      }
      if (existsSync(mark)) ranDuring.push('during the run');
      for (const path of [cwd, ...worktreesOf(cwd)]) writeFileSync(join(path, 'go-on'), '');
    });
    expect(isReady).toBe(true);
    expect(ranDuring).toEqual([]);
    useGitInEveryFolder(cwd);
    expect(existsSync(mark), 'in the checkout after the run').toBe(false);
    for (const path of worktreesOf(cwd)) useGitInEveryFolder(path);
    // A kept worktree holds the guest's commits: a program that the user configured is reported.
    if (report.length === 0) expect(existsSync(mark), 'in the kept worktree').toBe(false);
  });
}

/** Runs the attack. The guest then waits for the file `go-on`. */
async function runGuest(
  { script, strategy }: Attempt,
  { cwd, mark, sandbox }: { cwd: string; mark: string; sandbox: SandboxProvider },
  onReady: () => void,
): Promise<Report> {
  const attack = `( ${script.replaceAll('MARK', mark)} ) > /dev/null 2>&1 & i=0; while kill -0 $! 2> /dev/null && [ $i -lt 30 ]; do sleep 0.1; i=$((i + 1)); done`;
  const wait = `i=0; while [ ! -e go-on ] && [ $i -lt 100 ]; do sleep 0.5; i=$((i + 1)); done; kill $! 2> /dev/null; exit 0`;
  const guest = run({
    ...runOptions(`${attack}; echo READY; ${wait}`, { cwd, sandbox }),
    branchStrategy: strategy === 'branch' ? { type: 'branch', branch: 'guest' } : { type: strategy },
    logging: {
      type: 'file',
      path: join(temporaryFolder(), 'guest.log'),
      onAgentStreamEvent: (event) => {
        if (JSON.stringify(event).includes('READY')) onReady();
      },
    },
  });
  return guest.then(
    ({ sensitiveChanges }) => sensitiveChanges,
    (error: unknown) => {
      // A run that refuses the guest's work is part of the defence.
      if (RepositoryError.isInstance(error)) return error.sensitiveChanges ?? [];
      if (SandboxError.isInstance(error) && error.code !== 'start') return [];
      throw error;
    },
  );
}

function worktreesOf(cwd: string): string[] {
  const folder = join(cwd, '.truecast/worktrees');
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name));
}
