/** Options and results of `merge()`, and their validation before anything is read. */
import type { CommitRef } from '@truecast/core/internal/errors/base/run-evidence';
import type { SensitiveChange } from '@truecast/core/internal/errors/base/run-evidence';
import type { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { assertKind, UsageError } from '@truecast/core/internal/errors/usage-error';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { assertKnownOptions, type OptionNames } from '@truecast/core/internal/options/known-options';
import type { CheckedCommit } from '@truecast/core/internal/output/definition/provenance';
import { assertBranchName } from '../../git/command/branch-name.ts';
import type { TreeCheck } from '../../git/command/tree-check.ts';
import type { MergeStrategy } from '../../git/landing/plan-landing.ts';
import type { SandboxProvider } from '../../ports/sandbox-provider.ts';
import { assertEnv } from '../../support/assert-env.ts';
import { assertPolicyLevel } from '../../support/policy-level.ts';
import { assertTreeCheck } from './assert-run-options.ts';
import {
  assertHooks,
  assertSandboxProvider,
  assertWhere,
  PLACE_OPTIONS,
  policyOf,
  type PlaceOptions,
} from './place-options.ts';
import type { RunPolicies } from './run-bounds.ts';

/** Options of `merge()`. */
export interface MergeOptions extends Omit<PlaceOptions, 'policies'> {
  /** Branch that moves. @default the branch that is checked out in `cwd` */
  readonly into?: string;
  /**
   * `merge`: a fast-forward if possible, else a merge commit. `squash`: one commit with all changes.
   * `ff-only`: a fast-forward, or a `RepositoryError`. @default 'merge'
   */
  readonly strategy?: MergeStrategy;
  /** Message of the new commit. @default that of git, and with `squash` those of the commits */
  readonly message?: string;
  /**
   * Runs on the merged files before they land: in `sandbox`, on a clean checkout of exactly the commit
   * that would land. Returns undefined to accept it, or the reason why it must not land. Checked
   * merges into one branch wait for each other. @default none
   */
  readonly check?: TreeCheck;
  /** Sandbox of `check`. Required with it. */
  readonly sandbox?: SandboxProvider;
  /** Added to the environment of the check's commands. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /** Deletes the branch after it has landed. @default false */
  readonly deleteBranch?: boolean;
  /** As in `run()`. */
  readonly policies?: Pick<RunPolicies, 'sensitiveChanges' | 'secretsInCommits'>;
}

/** Result of one merge. */
export interface MergeResult {
  /** The branch that was merged. */
  readonly branch: string;
  /** The branch that moved. */
  readonly into: string;
  /** Commit on which `into` is now. */
  readonly sha: string;
  /** False if the branch contained nothing new. */
  readonly isMerged: boolean;
  /** The branch's commits that landed, oldest first. With `squash`, those that were combined. */
  readonly commits: CommitRef[];
  /** Changes that run code on this machine later, as far as the policy lists them. */
  readonly sensitiveChanges: readonly SensitiveChange[];
  /** The check of the landed commit. Absent without `check`. */
  readonly check?: CheckedCommit;
}

/** Result of several merges, in the order of the branches. */
export interface MergeQueueResult {
  readonly merged: MergeResult[];
  /** Branches that did not land. Each is unchanged. */
  readonly kept: { readonly branch: string; readonly error: RepositoryError }[];
}

const OPTIONS: OptionNames<MergeOptions> = {
  ...PLACE_OPTIONS,
  sandbox: true,
  env: true,
  into: true,
  strategy: true,
  message: true,
  check: true,
  deleteBranch: true,
};
const POLICIES: OptionNames<NonNullable<MergeOptions['policies']>> = {
  sensitiveChanges: true,
  secretsInCommits: true,
};
const STRATEGIES: readonly MergeStrategy[] = ['merge', 'squash', 'ff-only'];

/** @throws UsageError, RepositoryError `invalid-branch` */
export function assertMergeOptions(branches: readonly string[], options: MergeOptions): void {
  assertKind(options, 'an object', 'options', 'Pass `{ into, check, sandbox }`, or leave it out.');
  assertKnownOptions(options, { of: '`merge()`', names: OPTIONS });
  assertWhere(options);
  const { check, sandbox, hooks, env, timeouts } = options;
  branches.forEach(assertBranchName);
  assertMergeValues(options);
  if (check !== undefined && sandbox === undefined) {
    throw new UsageError(
      'Expected `sandbox` beside `check`, got none. The check runs what agents wrote. Pass `bubblewrap()`, or `noSandbox()` to run it on this machine.',
    );
  }
  if (sandbox !== undefined) assertSandboxProvider(sandbox);
  assertEnv('env', env);
  assertHooks(hooks);
  if (timeouts !== undefined) policyOf({ timeouts });
}

/** Rejects values that each route of a merge has. */
export function assertMergeValues({
  into,
  strategy,
  message,
  check,
  policies,
}: Pick<MergeOptions, 'into' | 'strategy' | 'message' | 'check' | 'policies'>): void {
  if (into !== undefined) assertBranchName(into);
  if (strategy !== undefined && !STRATEGIES.includes(strategy)) {
    throw new UsageError(
      `Expected \`strategy\` to be one of ${STRATEGIES.join(', ')}, got ${describeValue(strategy)}.`,
    );
  }
  if (message !== undefined && (typeof message !== 'string' || message.trim() === '')) {
    throw new UsageError(`Expected \`message\` to be a text, got ${describeValue(message)}.`);
  }
  assertTreeCheck('check', check);
  if (policies === undefined) return;
  assertKnownOptions(policies, { of: '`policies` of a merge', names: POLICIES });
  const { secretsInCommits, ...others } = policies;
  assertPolicyLevel('policies.secretsInCommits', secretsInCommits);
  policyOf({ policies: others });
}

/** @throws UsageError */
export function readBranches(branches: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(branches) ? branches : [branches];
  if (list.length > 0 && list.every((branch): branch is string => typeof branch === 'string')) {
    return [...new Set(list)];
  }
  throw new UsageError(
    `Expected a branch or a list of branches, got ${describeValue(branches)}. Write \`merge('feature/login')\`.`,
  );
}
