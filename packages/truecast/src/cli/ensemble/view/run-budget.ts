/** Spending of a run compared with its limits, as text. Pure. */
import type { EnsembleLimits } from '@truecast/ensemble/internal/scenario/ensemble-scenario';
import type { LedgerEvent } from '@truecast/ensemble/internal/ledger/ledger-event';
import { inGroups } from '../../../support/in-groups.ts';

/** Amounts that a run has spent. */
export interface RunSpent {
  readonly calls: number;
  readonly tokens: number;
  readonly usd: number;
}

/** Initial value, before the first call. */
export const NOTHING_SPENT: RunSpent = { calls: 0, tokens: 0, usd: 0 };

const TOKEN_FIELDS = ['inputTokens', 'outputTokens', 'cacheCreationInputTokens', 'cacheReadInputTokens'];

/** Adds the model call of an event. */
export function addCall(spent: RunSpent, { payload }: LedgerEvent): RunSpent {
  const usage = new Map(Object.entries(payload['usage'] ?? {}));
  const amount = (name: string): number => {
    const value: unknown = usage.get(name);
    return typeof value === 'number' && Number.isFinite(value) ? value : 0;
  };
  return {
    calls: spent.calls + 1,
    tokens: TOKEN_FIELDS.reduce((sum, name) => sum + amount(name), spent.tokens),
    usd: spent.usd + amount('costUsd'),
  };
}

/** Describes the remaining budget: `74 of 80 calls left · 1,204 tokens`. */
export function describeBudget({ calls, tokens, usd }: RunSpent, limits: EnsembleLimits): string {
  return [
    left(calls, limits.calls, 'call'),
    left(tokens, limits.tokens, 'token'),
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
  if (limit !== undefined && Number.isFinite(limit))
    return `$${usd.toFixed(2)} of $${limit.toFixed(2)} an hour`;
  return usd > 0 ? `$${usd.toFixed(2)}` : undefined;
}

/** Returns `1 turn` or `1,204 tokens`. */
export function counted(amount: number, noun: string): string {
  return `${inGroups(amount)} ${noun}${amount === 1 ? '' : 's'}`;
}
