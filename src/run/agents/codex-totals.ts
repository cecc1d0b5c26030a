/** Owns what Codex's threads had used before a process began: its stream tells a thread's usage from its very first turn on. */
import { z } from 'zod';
import type { CodexTokens } from './codex-tokens.ts';
import { codexTokens } from './codex-tokens-schema.ts';
import type { Usage } from '../../errors/usage.ts';
import { parseJson } from './json-line-parser.ts';

const tokenCountLine = z.object({
  payload: z.object({ info: z.object({ total_token_usage: codexTokens }) }),
});

/** What is known of each thread's usage so far. */
export interface CodexTotals {
  get(threadId: string): CodexTokens | undefined;
  set(threadId: string, tokens: CodexTokens): void;
  /** Takes the last total of a session's file. */
  read(threadId: string, jsonl: string): void;
}

/** Makes an empty account. */
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
    const line = tokenCountLine.safeParse(parseJson(jsonl.slice(from, to === -1 ? undefined : to)));
    if (line.success) return line.data.payload.info.total_token_usage;
    at = from;
  }
  return undefined;
}

/** Returns what was used since `baseline`. */
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
