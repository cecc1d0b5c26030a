/** Spending of a run compared with its limits, as text. Pure. */
import type { EnsembleLimits } from '@truecast/ensemble/internal/scenario/ensemble-scenario';
import { addTokens, costOfCall, tokensOfCall } from '@truecast/ensemble/internal/ledger/fold';
import type { LedgerEvent } from '@truecast/ensemble/internal/ledger/ledger-event';
import { inGroups } from 'truecast/internal/support/in-groups';

export interface RunSpent {
  readonly calls: number;
  /** Undefined if no call reported its tokens. */
  readonly tokens: number | undefined;
  readonly usd: number;
}

/** Initial value, before the first call. */
export const NOTHING_SPENT: RunSpent = { calls: 0, tokens: 0, usd: 0 };

export function addCall(spent: RunSpent, event: LedgerEvent): RunSpent {
  return {
    calls: spent.calls + 1,
    tokens: addTokens(spent.tokens, tokensOfCall(event)),
    usd: spent.usd + (costOfCall(event) ?? 0),
  };
}

/** Describes the remaining budget: `74 of 80 calls left · 1,204 tokens`. */
export function describeBudget({ calls, tokens, usd }: RunSpent, limits: EnsembleLimits): string {
  return [
    left(calls, limits.calls, 'call'),
    tokens === undefined ? undefined : left(tokens, limits.tokens, 'token'),
    money(usd, limits.usdPerHour),
  ]
    .filter((part) => part !== undefined)
    .join(' · ');
}

function left(used: number, limit: number | undefined, noun: string): string {
  if (limit === undefined || !Number.isFinite(limit)) return counted(used, noun);
  return `${inGroups(Math.max(0, limit - used))} of ${inGroups(limit)} ${noun}s left`;
}

function money(usd: number, limit: number | undefined): string | undefined {
  if (limit !== undefined && Number.isFinite(limit)) {
    return `$${usd.toFixed(2)} of $${limit.toFixed(2)} an hour`;
  }
  return usd > 0 ? `$${usd.toFixed(2)}` : undefined;
}

/** Returns `1 turn` or `1,204 tokens`. */
export function counted(amount: number, noun: string): string {
  return `${inGroups(amount)} ${noun}${amount === 1 ? '' : 's'}`;
}
