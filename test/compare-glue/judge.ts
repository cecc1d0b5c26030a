/** Judge of one play: the outcome, the repository, the agents' commits, and left-behind files. */
import { existsSync } from 'node:fs';
import type { Fault } from './faults.ts';
import type { Played } from './play.ts';
import { reasonAgainst, TOO_LITTLE } from './right-values.ts';
import { type OpenWorld, processesOf } from './world.ts';

/** How a play ended. Only `survived` counts as survived. */
export type Verdict =
  | 'survived'
  | 'silent-wrong'
  | 'lost-work'
  | 'checkout-changed'
  | 'left-behind'
  | 'no-end'
  | 'needless-error'
  | 'unnamed-error';

export interface Judged {
  readonly verdict: Verdict;
  /** The reason, or the value or error that survived. */
  readonly detail: string;
}

/** Repository before the program started. */
export interface Before {
  readonly branches: readonly string[];
  readonly status: string;
}

/** Returns the state of the repository, to compare with it later. Job 7 has none. */
export function stateOf({ place, world }: OpenWorld): Before {
  const isRepository = existsSync(`${place.cwd}/.git`) && world.repos === undefined;
  if (!isRepository) return { branches: [], status: '' };
  return { branches: branchesOf(place.git), status: place.git('status', '--porcelain') };
}

/** Judges a play. Without a fault only the right value survives. */
export function judge(
  job: number,
  fault: Fault | undefined,
  played: Played,
  opened: OpenWorld,
  before: Before,
): Judged {
  const { outcome } = played;
  if (outcome === undefined) {
    return { verdict: 'no-end', detail: `${played.ended}: ${played.printed.slice(-300)}` };
  }
  const isRepository = existsSync(`${opened.place.cwd}/.git`);
  const isValue = outcome.type === 'value';
  const wrong = isValue ? reasonAgainst(job, outcome.value, { opened, fault, before }) : undefined;
  if (wrong === TOO_LITTLE) return { verdict: 'needless-error', detail: JSON.stringify(outcome) };
  if (wrong !== undefined) return { verdict: 'silent-wrong', detail: `${wrong}: ${JSON.stringify(outcome)}` };
  const lost = isRepository ? lostCommit(job, isValue, opened) : undefined;
  if (lost !== undefined) return { verdict: 'lost-work', detail: lost };
  const changed = isRepository ? checkoutChange(opened, before) : undefined;
  if (changed !== undefined) return { verdict: 'checkout-changed', detail: changed };
  if (isValue) {
    const left = leftBehind(outcome.value, opened, before, isRepository);
    if (left !== undefined) return { verdict: 'left-behind', detail: left };
    return { verdict: 'survived', detail: JSON.stringify(outcome.value) };
  }
  const said = `${outcome.name} ${outcome.code ?? ''} ${outcome.message}`;
  if (fault === undefined || fault.expects === 'right') return { verdict: 'needless-error', detail: said };
  if (fault.names?.test(said) === false) return { verdict: 'unnamed-error', detail: said };
  return { verdict: 'survived', detail: said };
}

/** Returns the first commit of an agent that no branch, reference or kept worktree has. */
function lostCommit(job: number, isValue: boolean, { place: { git }, turns }: OpenWorld): string | undefined {
  // The losers of a tournament go, and a reviewer was not asked for commits.
  if (job === 9 || (job === 4 && isValue)) return undefined;
  const kept = new Set(git('rev-list', '--all').split('\n'));
  for (const { head, cwd, subject } of turns) {
    if (head === undefined || kept.has(head) || existsSync(cwd)) continue;
    if (!isOnMain(git, head)) {
      return `The commit ${head.slice(0, 8)} of ${subject} is in no branch or reference.`;
    }
  }
  return undefined;
}

/** True if `main` has each file as the commit left it, such as after a squash. */
function isOnMain(git: OpenWorld['place']['git'], head: string): boolean {
  try {
    return git('show', '--format=', '--name-only', head)
      .split('\n')
      .every((path) => git('rev-parse', `${head}:${path}`) === git('rev-parse', `main:${path}`));
  } catch {
    return false;
  }
}

function checkoutChange({ place: { git } }: OpenWorld, before: Before): string | undefined {
  const branch = git('rev-parse', '--abbrev-ref', 'HEAD');
  if (branch !== 'main') return `The checkout is on ${branch}.`;
  const status = git('status', '--porcelain');
  return status === before.status ? undefined : `The checkout has changes: ${status}`;
}

function leftBehind(
  value: unknown,
  opened: OpenWorld,
  before: Before,
  isRepository: boolean,
): string | undefined {
  const { git, root } = opened.place;
  const alive = processesOf(root);
  if (alive.length > 0) return `Processes are left: ${alive.join(', ')}`;
  if (!isRepository) return undefined;
  const more = branchesOf(git).filter((branch) => !before.branches.includes(branch));
  const worktrees = git('worktree', 'list', '--porcelain')
    .split('\n')
    .filter((line) => line.startsWith('worktree ')).length;
  if (!isPartial(value)) {
    if (more.length > 0) return `Branches are left: ${more.join(', ')}`;
    return worktrees > 1 ? `${worktrees - 1} worktrees are left.` : undefined;
  }
  const empty = more.filter((branch) => git('rev-list', `main..${branch}`) === '');
  return empty.length > 0 ? `Branches without work are left: ${empty.join(', ')}` : undefined;
}

/** True if the value says that something did not land, so that its branch is kept. */
function isPartial(value: unknown): boolean {
  const { failed, refused, merged, green } = value as Readonly<Record<string, unknown>>;
  const some = (list: unknown): boolean => Array.isArray(list) && list.length > 0;
  return some(failed) || some(refused) || merged === false || green === false;
}

function branchesOf(git: OpenWorld['place']['git']): string[] {
  return git('for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n');
}
