/** Policy for sensitive changes: decides which of them prevent the merge of a branch. Pure. */
import { cut, describeValue } from '@truecast/core/internal/errors/base/describe-value';
import type { SensitiveChange } from '@truecast/core/internal/errors/base/sensitive-change';
import { UsageError } from '@truecast/core/internal/errors/usage-error';

/**
 * Policy for a merge that contains sensitive changes. Every value reports all of them.
 *
 * `refuse-git` refuses the merge if one of them runs code at the next git command. `refuse` refuses
 * it for any of them. `report` never refuses it.
 */
export type SensitiveChangesPolicy = 'refuse-git' | 'refuse' | 'report';

/** Policy for callers who choose none. */
export const DEFAULT_SENSITIVE_CHANGES_POLICY: SensitiveChangesPolicy = 'refuse-git';

/** The values of the option. */
export const SENSITIVE_CHANGES_POLICIES: readonly SensitiveChangesPolicy[] = [
  'refuse-git',
  'refuse',
  'report',
];

/** @throws UsageError for a value that is not a policy */
export function assertSensitiveChangesPolicy(value: unknown): void {
  if (value === undefined || SENSITIVE_CHANGES_POLICIES.some((policy) => policy === value)) return;
  throw new UsageError(
    `Expected \`sensitiveChanges\` to be one of ${SENSITIVE_CHANGES_POLICIES.join(', ')}, got ${describeValue(value)}.`,
  );
}

/** Returns true for a path below the checkout. */
export function isEditablePath(path: unknown): boolean {
  return typeof path === 'string' && path !== '' && !/^([/~]|[A-Za-z]:|\.\.(\/|$))/u.test(path);
}

/** @throws UsageError for anything but paths below the checkout */
export function assertEditablePaths(value: unknown): void {
  if (value === undefined) return;
  if (Array.isArray(value) && value.every(isEditablePath)) return;
  throw new UsageError(
    `Expected \`editablePaths\` to be an array of paths relative to the repository, got ${describeValue(value)}. Write \`['.vscode/']\`.`,
  );
}

/**
 * Returns the changes for which a merge is refused. Removed files run nothing, and uncommitted
 * files are not merged.
 */
export function refusedChanges(
  changes: readonly SensitiveChange[],
  policy: SensitiveChangesPolicy,
): readonly SensitiveChange[] {
  if (policy === 'report') return [];
  return changes.filter(
    ({ source, change, runsAt }) =>
      source === 'commits' && change !== 'removed' && (policy === 'refuse' || runsAt === 'git'),
  );
}

const SHOWN_PATHS = 5;

/** Describes changes in one sentence part, the first few by path. */
export function describeChanges(changes: readonly SensitiveChange[]): string {
  const shown = changes.slice(0, SHOWN_PATHS).map(({ path, reason }) => `\`${cut(path)}\` (${reason})`);
  const rest = changes.length - shown.length;
  return `${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/**
 * Merges reports. A path that the commits change is not reported again for its file. Changes for
 * git come first.
 */
export function combineChanges(
  commits: readonly SensitiveChange[],
  files: readonly SensitiveChange[],
): readonly SensitiveChange[] {
  const known = new Set(commits.map(({ path }) => path));
  const others = files.filter(({ path, movedTo }) => movedTo !== undefined || !known.has(path));
  const all = [...commits, ...others];
  return [...all.filter(({ runsAt }) => runsAt === 'git'), ...all.filter(({ runsAt }) => runsAt !== 'git')];
}
