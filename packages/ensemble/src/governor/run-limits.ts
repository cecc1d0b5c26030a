/** Limits of a run: defaults and validation. Pure. */
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { assertTimeout } from '@truecast/core/internal/options/timeout';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { EnsembleLimits } from '../scenario/ensemble-scenario.ts';

/** All limits of a run, with defaults applied. */
export type GovernorLimits = Required<EnsembleLimits>;

const DEFAULTS: GovernorLimits = {
  turns: 100,
  callsPerTurn: 32,
  calls: 500,
  tokens: Infinity,
  usdPerHour: Infinity,
  consecutiveFailures: 10,
  cascade: 16,
  turnTimeoutMs: Infinity,
};

/** Limits that must be at least 1, because 0 would allow nothing. */
const AT_LEAST_ONE: ReadonlySet<string> = new Set([
  'callsPerTurn',
  'consecutiveFailures',
  'cascade',
  'turnTimeoutMs',
]);

/**
 * Returns the limits of a run. Those of the call override those of the scenario.
 *
 * @throws UsageError `invalid-option` for an unknown limit, or a value that is not a number of at
 *   least 0 (1 where 0 would allow nothing)
 */
export function runLimits(scenario: EnsembleLimits = {}, call: EnsembleLimits = {}): GovernorLimits {
  for (const limits of [scenario, call]) {
    for (const [name, value] of Object.entries(limits)) assertLimit(name, value);
  }
  return { ...DEFAULTS, ...scenario, ...call };
}

function assertLimit(name: string, value: unknown): void {
  if (!Object.hasOwn(DEFAULTS, name)) {
    throw new UsageError(
      `Expected \`limits\` to contain only ${Object.keys(DEFAULTS).join(', ')}, got \`${name}\`. Remove it.`,
    );
  }
  if (name === 'turnTimeoutMs' && value !== Infinity) assertTimeout('limits.turnTimeoutMs', value);
  const least = AT_LEAST_ONE.has(name) ? 1 : 0;
  const isWhole = name === 'usdPerHour' || value === Infinity || Number.isSafeInteger(value);
  if (typeof value === 'number' && value >= least && isWhole) return;
  throw new UsageError(
    `Expected \`limits.${name}\` to be ${name === 'usdPerHour' ? 'a number' : 'an integer'} of at least ${least}, got ${describeValue(value)}. Correct it, or leave it out.`,
  );
}
