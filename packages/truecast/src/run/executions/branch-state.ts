/** State of the branch of an earlier execution: present, landed and removed, or gone. */
import { git, type GitCallOptions } from '../../git/command/git.ts';
import { isAncestor } from '../../git/landing/final-commit.ts';
import { pathsOf, type Repository } from '../../git/repository/repository.ts';
import type { ExecutionFacts } from './decide-execution.ts';
import type { ExecutionRecord } from './execution-record.ts';

/**
 * Finds the branch. One that was removed although its commits are in no other branch is created again,
 * if git still has the commits.
 */
export async function findBranch(
  repository: Repository,
  { branch, target, commits, commitsSince }: ExecutionRecord,
  call: GitCallOptions,
): Promise<ExecutionFacts['branch']> {
  // A read-only run has no branch, and nothing of it lands.
  if (branch === undefined) return 'landed';
  const options = { ...call, cwd: repository.topLevel, paths: pathsOf(repository) };
  const reference = `refs/heads/${branch}`;
  const found = await git(['rev-parse', '--verify', '--quiet', `${reference}^{commit}`], options);
  if (found.exitCode === 0) return 'present';
  // It was killed before its commits were read, so nothing says what the branch had.
  if (commits === undefined) return 'missing';
  const tip = commits.at(-1) ?? commitsSince;
  if (tip === undefined) return 'missing';
  const newer = target === undefined ? repository.headSha : `refs/heads/${target}`;
  if (await isAncestor({ repository }, { older: tip, newer }, call)) return 'landed';
  const created = await git(['update-ref', reference, tip, ''], options);
  return created.exitCode === 0 ? 'present' : 'missing';
}
