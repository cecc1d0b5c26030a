/** Validation and description of the `egress` option. Pure. */
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { EgressPolicy, SandboxCreateOptions } from '../../ports/sandbox-provider.ts';
import { parseAllowRules } from '../../ports/allow-rules.ts';

const NAMES: readonly unknown[] = ['none', 'host', 'model'];

/**
 * Rejects an invalid egress policy.
 *
 * @throws UsageError with the expected values
 */
export function assertEgressPolicy(value: unknown): void {
  if (value === undefined || NAMES.includes(value)) return;
  if (typeof value === 'object' && value !== null && 'allow' in value) {
    parseAllowRules(value.allow);
    return;
  }
  throw new UsageError(
    `Expected \`egress\` to be 'none', 'host', 'model' or \`{ allow: [hosts] }\`, got ${describeValue(value)}.`,
  );
}

/** Describes a policy in a word, or by its allowed hosts. */
export function describeEgress(policy: EgressPolicy): string {
  return typeof policy === 'string' ? policy : `allow ${policy.allow.join(', ')}`;
}

/** Returns the default policy of a sandbox. It is never `host`. */
export function defaultEgress({
  egress,
  modelAccess,
}: Pick<SandboxCreateOptions, 'egress' | 'modelAccess'>): EgressPolicy {
  return egress ?? (modelAccess === undefined ? 'none' : 'model');
}

/** Describes the allowed connections of a started sandbox in a word. */
export function describeReadyEgress({
  egress,
  enforcesEgress,
}: {
  readonly egress?: string;
  readonly enforcesEgress: boolean;
}): string {
  if (enforcesEgress) return egress ?? 'none';
  return `${egress ?? 'unknown'} (not enforced)`;
}
