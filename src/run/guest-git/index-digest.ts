/** Digest of a checkout's staged entries: shows whether the user staged something while an agent worked. */
import { createHash } from 'node:crypto';
import { gitOutput, type GitOptions } from '../git/git.ts';

/**
 * Returns the digest. Stat data does not count, because the user's own `git status` rewrites it.
 */
export async function digestIndex(call: GitOptions): Promise<string> {
  const listed = await gitOutput(['ls-files', '--stage', '-z'], call);
  return createHash('sha256').update(listed).digest('hex');
}
