/** Owns the bounds of a run: their defaults, and the refusal of bounds that are none. Pure. */
import { describeValue } from '../../errors/describe-value.ts';
import { UsageError } from '../../errors/usage-error.ts';
import type { EnsembleLimits } from '../conductor/ensemble-scenario.ts';

/** The bounds of a run, each of them set. */
export type RunLimits = Required<EnsembleLimits>;

const DEFAULTS: RunLimits = {
  turns: 100,
  callsPerTurn: 32,
  calls: 500,
  tokens: Infinity,
  usdPerHour: Infinity,
  consecutiveFailures: 10,
  cascade: 16,
};

/** Bounds of which zero would be a run in which nothing happens. */
const AT_LEAST_ONE: ReadonlySet<string> = new Set(['callsPerTurn', 'consecutiveFailures', 'cascade']);

/**
 * Returns the bounds of a run, those of the call before those of the scenario.
 *
 * @throws UsageError `invalid-option` for an unknown bound, or one that is no number of at least 0 (1 where 0 would let nothing happen)
 */
export function runLimits(scenario: EnsembleLimits = {}, call: EnsembleLimits = {}): RunLimits {
  for (const limits of [scenario, call])
    for (const [name, value] of Object.entries(limits)) assertLimit(name, value);
  return { ...DEFAULTS, ...scenario, ...call };
}

function assertLimit(name: string, value: unknown): void {
  if (!Object.hasOwn(DEFAULTS, name))
    throw new UsageError(
      `Expected \`limits\` to hold ${Object.keys(DEFAULTS).join(', ')}, got \`${name}\`. Remove it.`,
    );
  const least = AT_LEAST_ONE.has(name) ? 1 : 0;
  const isWhole = name === 'usdPerHour' || value === Infinity || Number.isSafeInteger(value);
  if (typeof value === 'number' && value >= least && isWhole) return;
  throw new UsageError(
    `Expected \`limits.${name}\` to be ${name === 'usdPerHour' ? 'a number' : 'an integer'} of at least ${least}, got ${describeValue(value)}. Correct it, or leave it out.`,
  );
}
