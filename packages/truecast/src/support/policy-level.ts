/** One ladder of policies, as in ESLint: a finding fails the run, is reported, or is accepted. Pure. */
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';

/** What happens with a finding. */
export type PolicyLevel = 'error' | 'warn' | 'allow';

/** The levels, strictest first. */
export const POLICY_LEVELS: readonly PolicyLevel[] = ['error', 'warn', 'allow'];

/** @throws UsageError for a value that is not a level */
export function assertPolicyLevel(name: string, value: unknown): void {
  if (value === undefined || POLICY_LEVELS.some((level) => level === value)) return;
  throw new UsageError(
    `Expected \`${name}\` to be 'error', 'warn' or 'allow', got ${describeValue(value)}. Use one, or leave it out.`,
  );
}
