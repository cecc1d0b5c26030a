/**
 * Parser for the worktree state that the machine prints. Pure. The output is untrusted: each line
 * is validated, and other lines are skipped.
 */
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';

export interface RemoteWorktreeState {
  /** Undefined if HEAD refers to a branch without a commit. */
  readonly headSha: string | undefined;
  /** Undefined if HEAD is detached. */
  readonly branch: string | undefined;
  readonly indexTree: string;
  readonly filesTree: string;
  readonly carrierSha: string;
  /** Commits of the branches inside, by name. */
  readonly branches: ReadonlyMap<string, string>;
  /** True while a merge, rebase, cherry-pick or revert is unfinished. */
  readonly isUnfinished: boolean;
  readonly stashCount: number;
}

const SHA = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u;
const BRANCH_LINE = /^branch ([0-9a-f]{40,64}) refs\/heads\/(.+)$/u;
const HEADS = 'refs/heads/';

/**
 * Parses the output of the look script.
 *
 * @throws SandboxError `sync` if it is incomplete
 */
export function readGuestState(stdout: string): RemoteWorktreeState {
  const lines = stdout.split('\n');
  const value = (name: string): string =>
    lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1) ?? '';
  const [head, index, files, carrier] = ['head', 'index', 'files', 'carrier'].map(value);
  const isWhole = lines.includes('done') && [index, files, carrier].every((sha) => SHA.test(sha ?? ''));
  if (!isWhole || (head !== '' && !SHA.test(head ?? ''))) {
    throw new SandboxError(
      'The sandbox did not report the state of its worktree. Check that `exec` returns all of stdout.',
      { code: 'sync' },
    );
  }
  const reference = value('ref');
  const branches = lines.flatMap((line) => {
    const match = BRANCH_LINE.exec(line);
    return match?.[1] === undefined || match[2] === undefined ? [] : [[match[2], match[1]] as const];
  });
  return {
    headSha: head === '' ? undefined : head,
    branch: reference.startsWith(HEADS) ? reference.slice(HEADS.length) : undefined,
    indexTree: index ?? '',
    filesTree: files ?? '',
    carrierSha: carrier ?? '',
    branches: new Map(branches),
    isUnfinished: lines.includes('busy'),
    stashCount: /^\d{1,6}$/u.test(value('stash')) ? Number(value('stash')) : 0,
  };
}
