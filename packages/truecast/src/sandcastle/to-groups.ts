/** Conversion of flat options to groups, and Sandcastle's default destination of commits. Pure. */
import { assertKnownOptions } from '@truecast/core/internal/options/known-options';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { BranchStrategy } from '../git/command/branch-strategy.ts';
import type { RunOptions as GroupedOptions } from '../run/options/run-options.ts';
import { FLAT_OPTIONS, type FlatMembers, type FlatPlacePolicy } from './flat-options.ts';
import type { SandboxProvider } from '../ports/sandbox-provider.ts';

const SECONDS = [
  'idleTimeoutSeconds',
  'completionTimeoutSeconds',
  'timeoutSeconds',
  'maxLimitWaitSeconds',
] as const;

/**
 * Rejects options that are not flat, and times that are no seconds.
 *
 * @throws UsageError
 */
export function assertFlat(options: FlatMembers, of: string): void {
  assertKnownOptions(options, { of, names: FLAT_OPTIONS });
  for (const name of SECONDS) {
    const value = options[name];
    if (value === undefined || (typeof value === 'number' && value > 0)) continue;
    throw new UsageError(
      `Expected \`${name}\` to be a positive number of seconds, got ${describeValue(value)}. Correct it.`,
    );
  }
}

/** A change of a value with a unit. Another value than a number is refused with the others. */
const toMs = (seconds: number | undefined): number | undefined =>
  seconds === undefined ? undefined : seconds * 1000;

/** What the groups are made of, with the rest of the options. */
type Flat<TRest> = TRest & FlatMembers & { readonly branchStrategy?: BranchStrategy };

/** Puts each flat option into its group. */
export function toGroups<TRest>(flat: Flat<TRest>): Omit<TRest, keyof FlatMembers> & Partial<GroupedOptions> {
  // Values that are not an object of options are refused later.
  if (typeof flat !== 'object' || flat === null) return flat;
  const {
    idleTimeoutSeconds,
    completionTimeoutSeconds,
    timeoutSeconds,
    maxLimitWaitSeconds,
    onLimit,
    secretsInOutput,
    secretsInCommits,
    sensitiveChanges,
    resumeSession,
    forkSession,
    record,
    runs,
    prices,
    limits,
    editablePaths,
    timeouts,
    budget,
    logging,
    ...rest
  } = flat;
  const { branchStrategy } = flat;
  return {
    ...rest,
    ...group('timeouts', timeouts, {
      idleMs: toMs(idleTimeoutSeconds),
      completionMs: toMs(completionTimeoutSeconds),
      runMs: toMs(timeoutSeconds),
      limitWaitMs: toMs(maxLimitWaitSeconds),
    }),
    ...group('policies', undefined, { onLimit, secretsInOutput, secretsInCommits, sensitiveChanges }),
    ...group('session', undefined, {
      resume: resumeSession,
      fork: forkSession,
      maxBytes: limits?.sessionBytes,
    }),
    ...group('budget', budget, { prices }),
    ...group('logging', logging, {
      record,
      keepRuns: runs?.keep,
      maxBytes: limits?.logBytes,
      maxRecordBytes: limits?.recordingBytes,
    }),
    ...(editablePaths !== undefined &&
      branchStrategy?.type === 'head' && { branchStrategy: { ...branchStrategy, editablePaths } }),
  };
}

/** Puts the policy of a place into its group. */
export function toPlaceGroups<TOptions extends FlatPlacePolicy>(
  options: TOptions,
): Omit<TOptions, 'sensitiveChanges'> & { readonly policies?: FlatPlacePolicy } {
  if (typeof options !== 'object' || options === null) return options;
  const { sensitiveChanges, ...rest } = options;
  return { ...rest, ...group('policies', undefined, { sensitiveChanges }) };
}

function group(name: string, own: unknown, members: object): object {
  const set = Object.entries(members).filter(([, value]) => value !== undefined);
  if (own === undefined && set.length === 0) return {};
  // A value that is not an object is passed on, and refused later.
  if (own !== undefined && (typeof own !== 'object' || own === null)) return { [name]: own };
  return { [name]: { ...own, ...Object.fromEntries(set) } };
}

/** Options that name a destination of commits, or leave it out. */
interface Asked {
  readonly sandbox?: SandboxProvider;
  readonly branchStrategy?: BranchStrategy;
}

/**
 * Fills in the caller's checkout, or for a sandbox on another machine a branch that is merged. What
 * is no object of options stays as it is, and is refused later.
 */
export function withDefaultBranch<TOptions extends Asked>(options: TOptions): TOptions {
  if (typeof options !== 'object' || options === null || options.branchStrategy !== undefined) return options;
  // From JavaScript, the sandbox can be anything.
  const { sandbox }: { readonly sandbox?: { readonly tag?: unknown } | null } = options;
  return { ...options, branchStrategy: { type: sandbox?.tag === 'isolated' ? 'merge-to-head' : 'head' } };
}
