/** Model calls of a run: their number, tokens, time and money. Pure. */
import type { LedgerEventView } from '@truecast/client/internal/wire/ensemble';

/** Sum of calls. */
export interface StageSpent {
  readonly calls: number;
  /** Sum of the calls that reported their tokens. Undefined if none did. */
  readonly tokens: number | undefined;
  readonly usd: number;
  readonly durationMs: number;
}

const TOKENS = ['inputTokens', 'outputTokens', 'cacheCreationInputTokens', 'cacheReadInputTokens'];

/** Sums the calls among events. */
export function spentOf(events: readonly LedgerEventView[]): StageSpent {
  let spent: StageSpent = { calls: 0, tokens: undefined, usd: 0, durationMs: 0 };
  for (const { kind, payload } of events) {
    if (kind !== 'model.called') continue;
    const usage = payload['usage'];
    spent = {
      calls: spent.calls + 1,
      tokens: usage === undefined ? spent.tokens : tokensIn(usage) + (spent.tokens ?? 0),
      usd: spent.usd + amountIn(usage, 'costUsd'),
      durationMs: spent.durationMs + amountIn(payload, 'duration_ms'),
    };
  }
  return spent;
}

/** Returns the calls that the event at `place` ended: those of its agent directly before it. */
export function callsBefore(events: readonly LedgerEventView[], place: number): readonly LedgerEventView[] {
  const event = events[place];
  const agent = event?.payload['agent'] ?? event?.actor;
  let from = place;
  for (; from > 0; from -= 1) {
    const before = events[from - 1];
    if (before?.kind !== 'model.called' || before.payload['agent'] !== agent) break;
  }
  return events.slice(from, Math.max(from, place));
}

function tokensIn(usage: unknown): number {
  return TOKENS.reduce((sum, name) => sum + amountIn(usage, name), 0);
}

/** Payloads are untrusted. */
function amountIn(value: unknown, name: string): number {
  const amount: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return typeof amount === 'number' && Number.isFinite(amount) ? amount : 0;
}
