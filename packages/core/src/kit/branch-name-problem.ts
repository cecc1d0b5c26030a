/** Rules of git for the names of branches. Pure. */

const FORBIDDEN = /[\p{Cc} ~^:?*[\\]/u;

/**
 * Returns why git would not accept a name for a branch. Undefined for a valid name.
 *
 * Source of the rules: https://git-scm.com/docs/git-check-ref-format
 */
export function branchNameProblem(branch: unknown): string | undefined {
  if (typeof branch !== 'string') return 'is not a string';
  if (branch === '') return 'is empty';
  if (branch === 'HEAD' || branch === '@') return 'means the current commit';
  if (branch.startsWith('-')) return 'begins with `-`';
  if (branch.startsWith('refs/heads/')) return 'begins with `refs/heads/`; remove that part';
  if (FORBIDDEN.test(branch)) return 'contains a space, a control character or one of `~^:?*[\\`';
  if (branch.includes('..') || branch.includes('@{')) return 'holds `..` or `@{`';
  if (branch.startsWith('/') || branch.endsWith('/') || branch.includes('//')) return 'has an empty part';
  if (branch.endsWith('.')) return 'ends with `.`';
  const parts = branch.split('/');
  if (parts.some((part) => part.startsWith('.'))) return 'has a part that begins with `.`';
  if (parts.some((part) => part.endsWith('.lock'))) return 'has a part that ends with `.lock`';
  return undefined;
}
