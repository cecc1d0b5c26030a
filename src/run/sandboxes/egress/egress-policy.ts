/** Owns the checks of an `egress` option, and its words. Pure. */
import { describeValue } from '../../../errors/describe-value.ts';
import { UsageError } from '../../../errors/usage-error.ts';
import type { EgressPolicy } from '../sandbox-provider.ts';
import { parseAllowRules } from './allow-rules.ts';

const NAMES: readonly unknown[] = ['none', 'host', 'model'];

/**
 * Refuses what is no egress policy.
 *
 * @throws UsageError that says what was expected
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

/** Says a policy in a word, or in the hosts that it allows. */
export function describeEgress(policy: EgressPolicy): string {
  return typeof policy === 'string' ? policy : `allow ${policy.allow.join(', ')}`;
}
