/** Left commits: those of a detached HEAD that a checkout left, so that no name leads to them. */
import { gitOutput, type GitOptions } from '../command/git.ts';
import type { KeptWork } from './keep-aside.ts';

/**
 * Returns those left commits to which neither another one nor a reached commit leads. Starts no git
 * without left commits.
 */
export async function findLeft(
  left: readonly string[],
  reached: readonly string[],
  call: GitOptions,
): Promise<readonly KeptWork[]> {
  if (left.length === 0) return [];
  const input = [...left, ...reached.map((sha) => `^${sha}`)].join('\n');
  const listed = await gitOutput(['rev-list', '--parents', '--ignore-missing', '--stdin'], {
    ...call,
    input: `${input}\n`,
  });
  const lines = listed.split('\n').map((line) => line.split(' '));
  const parents = new Set(lines.flatMap(([, ...ids]) => ids));
  const listedIds = new Set(lines.map(([id]) => id));
  return left
    .filter((sha) => listedIds.has(sha) && !parents.has(sha))
    .map((sha) => ({ name: `left/${sha.slice(0, 12)}`, sha, from: 'HEAD' }));
}
