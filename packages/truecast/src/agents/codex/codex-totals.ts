/**
 * Usage of Codex threads before a process began. Codex's stream reports a thread's total usage
 * since its first turn.
 */
import { z } from 'zod';
import type { CodexTokens } from './codex-tokens.ts';
import type { Usage } from '@truecast/core/internal/kit/usage';
import { jsonValueOf } from '@truecast/core/internal/kit/json-value-of';

const count = z.number().catch(0);

export const codexTokens: z.ZodType<CodexTokens> = z.object({
  input_tokens: count,
  cached_input_tokens: count,
  cache_write_input_tokens: count,
  output_tokens: count,
});

const tokenCountLine = z.object({
  payload: z.object({ info: z.object({ total_token_usage: codexTokens }) }),
});

/** Known usage of each thread. */
export interface CodexTotals {
  get(threadId: string): CodexTokens | undefined;
  set(threadId: string, tokens: CodexTokens): void;
  /** Stores the last total of a session file. */
  read(threadId: string, jsonl: string): void;
}

/** Creates an empty account. */
export function createCodexTotals(): CodexTotals {
  const totals = new Map<string, CodexTokens>();
  return {
    get: (threadId) => totals.get(threadId),
    set: (threadId, tokens) => totals.set(threadId, tokens),
    read(threadId, jsonl) {
      const tokens = readLastTotal(jsonl);
      if (tokens !== undefined) totals.set(threadId, tokens);
    },
  };
}

function readLastTotal(jsonl: string): CodexTokens | undefined {
  for (
    let at = jsonl.lastIndexOf('"total_token_usage"');
    at > 0;
    at = jsonl.lastIndexOf('"total_token_usage"', at - 1)
  ) {
    const from = jsonl.lastIndexOf('\n', at) + 1;
    const to = jsonl.indexOf('\n', at);
    const line = tokenCountLine.safeParse(jsonValueOf(jsonl.slice(from, to === -1 ? undefined : to)));
    if (line.success) return line.data.payload.info.total_token_usage;
    at = from;
  }
  return undefined;
}

export function codexUsageSince(tokens: CodexTokens, baseline: CodexTokens | undefined): Usage {
  const since = (field: keyof CodexTokens): number => Math.max(0, tokens[field] - (baseline?.[field] ?? 0));
  const cached = since('cached_input_tokens');
  const written = since('cache_write_input_tokens');
  return {
    inputTokens: Math.max(0, since('input_tokens') - cached - written),
    outputTokens: since('output_tokens'),
    cacheCreationInputTokens: written,
    cacheReadInputTokens: cached,
  };
}
