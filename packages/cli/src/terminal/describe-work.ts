/** Time, tokens and cost of work, and the seal of an accepted value, in one line for people. */
import { terminalSigns } from 'truecast/internal/support/terminal-text';
import type { Usage } from '@truecast/core/internal/kit/usage';
import { tell, type Terminal } from './print.ts';

/** Returns `3412 tokens, $0.02`. Undefined without a report. */
export function describeUsage(usage: Usage | undefined): string | undefined {
  if (usage === undefined) return undefined;
  const tokens =
    usage.inputTokens + usage.outputTokens + usage.cacheCreationInputTokens + usage.cacheReadInputTokens;
  const money = usage.costUsd === undefined ? '' : `, $${usage.costUsd.toFixed(2)}`;
  return `${tokens} tokens${money}`;
}

/** Formats a duration as `42 s`, `3 min` or `2.5 h`. */
export function describeTime(durationMs: number): string {
  const seconds = durationMs / 1000;
  if (seconds < 100) return `${Math.ceil(seconds)} s`;
  return seconds < 6_000 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`;
}

/** How a value was obtained. */
interface SealedValue {
  readonly attempts: number;
  /** Absent if the server did not report it. */
  readonly durationMs?: number | undefined;
  readonly usage?: Usage | undefined;
}

/** Writes the line that ends an accepted value, such as `✓ Sealed · valid at attempt 2 · 12 s · 340 tokens`. */
export function tellSeal({ attempts, durationMs, usage }: SealedValue, terminal: Terminal): void {
  const parts = [
    `${terminalSigns().done} Sealed`,
    attempts > 1 ? `valid at attempt ${attempts}` : 'valid at once',
    durationMs === undefined ? undefined : describeTime(durationMs),
    describeUsage(usage),
  ];
  tell(parts.filter((part) => part !== undefined).join(' · '), terminal, 'good');
}
