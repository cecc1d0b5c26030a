/** Tokens of `model.called` events: sums in which an unreported count is unknown, not 0. Pure. */
import type { LedgerEvent } from './ledger-event.ts';
import { amountOf, memberOf } from './fold.ts';

const TOKEN_FIELDS = ['inputTokens', 'outputTokens', 'cacheCreationInputTokens', 'cacheReadInputTokens'];

/** Returns the tokens of a call, or undefined if its service reported none. */
export function tokensOfCall({ payload }: Pick<LedgerEvent, 'payload'>): number | undefined {
  const usage = memberOf(payload, 'usage');
  if (usage === undefined) return undefined;
  return TOKEN_FIELDS.reduce((sum, name) => sum + amountOf(usage, name), 0);
}

/** Returns the cost of a call in US dollars, or undefined if it is unknown. */
export function costOfCall({ payload }: Pick<LedgerEvent, 'payload'>): number | undefined {
  const usage = memberOf(payload, 'usage');
  return memberOf(usage, 'costUsd') === undefined ? undefined : amountOf(usage, 'costUsd');
}

/**
 * Adds the tokens of a further call to a sum that starts with 0. The sum covers the calls with
 * counts. It is undefined while no call had any.
 */
export function addTokens(sum: number | undefined, tokens: number | undefined): number | undefined {
  if (tokens !== undefined) return (sum ?? 0) + tokens;
  return sum === 0 ? undefined : sum;
}
