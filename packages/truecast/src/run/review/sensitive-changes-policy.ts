/** Policy for sensitive changes: decides which of them prevent the merge of a branch. Pure. */
import { cut, describeValue } from '@truecast/core/internal/kit/describe-value';
import type { SensitiveChange } from '@truecast/core/internal/errors/base/run-evidence';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { assertKnownOptions, type OptionNames } from '@truecast/core/internal/options/known-options';
import { assertPolicyLevel, type PolicyLevel } from '../../support/policy-level.ts';

/**
 * Policy for a merge that contains sensitive changes. One level for all of them, or one for those
 * that run code at the next git command and one for the others.
 *
 * `error` refuses the merge. `warn` lists the changes in the result. `allow` lists none.
 */
export type SensitiveChangesPolicy =
  | PolicyLevel
  | { readonly git: PolicyLevel; readonly others: PolicyLevel };

/** Policy for callers who choose none. */
export const DEFAULT_SENSITIVE_CHANGES_POLICY: SensitiveChangesPolicy = { git: 'error', others: 'warn' };

const LEVELS: OptionNames<Extract<SensitiveChangesPolicy, object>> = { git: true, others: true };

/** @throws UsageError for a value that is not a policy */
export function assertSensitiveChangesPolicy(value: unknown): void {
  if (typeof value !== 'object' || value === null) {
    return assertPolicyLevel('policies.sensitiveChanges', value);
  }
  assertKnownOptions(value, { of: '`policies.sensitiveChanges`', names: LEVELS });
  const { git = null, others = null }: { readonly git?: unknown; readonly others?: unknown } = value;
  assertPolicyLevel('policies.sensitiveChanges.git', git);
  assertPolicyLevel('policies.sensitiveChanges.others', others);
}

function levelOf(policy: SensitiveChangesPolicy, { runsAt }: SensitiveChange): PolicyLevel {
  if (typeof policy === 'string') return policy;
  return runsAt === 'git' ? policy.git : policy.others;
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
    `Expected \`branchStrategy.editablePaths\` to be an array of paths relative to the repository, got ${describeValue(value)}. Write \`['.vscode/']\`.`,
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
  return changes.filter(
    (found) => found.source === 'commits' && found.change !== 'removed' && levelOf(policy, found) === 'error',
  );
}

/** Returns the changes that a result lists. What was moved is listed in any case. */
export function listedChanges(
  changes: readonly SensitiveChange[],
  policy: SensitiveChangesPolicy,
): readonly SensitiveChange[] {
  return changes.filter((found) => found.movedTo !== undefined || levelOf(policy, found) !== 'allow');
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
