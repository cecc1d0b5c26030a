/** Questions about commits: the one that a name has, and if one contains another. */
import { git, type GitOptions } from './git.ts';

/** Returns the commit of a reference or another name. Undefined if there is none. */
export async function findCommit(name: string, call: GitOptions): Promise<string | undefined> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
  const { stdout, exitCode } = await git(args, call);
  return exitCode === 0 ? stdout.trim() : undefined;
}

/** Returns true if `newer` is `older`, or has it in its history. False if one of them is not here. */
export async function containsCommit(
  { older, newer }: { readonly older: string; readonly newer: string },
  call: GitOptions,
): Promise<boolean> {
  return (await git(['merge-base', '--is-ancestor', older, newer], call)).exitCode === 0;
}
