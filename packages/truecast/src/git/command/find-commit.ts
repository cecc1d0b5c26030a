/** Questions about commits: the one that a name has, and if one contains another. */
import { git, type GitOptions } from './git.ts';

const FULL_ID = /^[\da-f]{40,64}$/u;

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

/**
 * Returns the full ids of several revisions, by one process. Undefined if one of them does not exist. The caller
 * checks that no name begins with a hyphen.
 */
export async function findIds(
  revisions: readonly string[],
  call: GitOptions,
): Promise<readonly string[] | undefined> {
  const { stdout, exitCode } = await git(['rev-parse', ...revisions], call);
  const ids = stdout.trimEnd().split('\n');
  // Git prints a revision that is the name of a file unchanged.
  const isWhole = exitCode === 0 && ids.length === revisions.length && ids.every((id) => FULL_ID.test(id));
  return isWhole ? ids : undefined;
}

/** Returns how two commits are related, by one process. `apart` also if one of them is not here. */
export async function relationOf(
  { older, newer }: { readonly older: string; readonly newer: string },
  call: GitOptions,
): Promise<'contained' | 'ahead' | 'apart'> {
  const { stdout, exitCode } = await git(['merge-base', older, newer], call);
  const base = exitCode === 0 ? stdout.trim() : undefined;
  // The best common commit of two is one of them if that one contains the other.
  if (base === newer) return 'contained';
  return base === older ? 'ahead' : 'apart';
}
