/** Owns the account of one Claude Code process: a running estimate from its messages, replaced by what each result tells. */
import { sumUsage, type Usage } from '../../errors/usage.ts';
import type { AssistantLine, ClaudeCodeTokens, ResultLine } from './claude-code-lines.ts';

/** Adds up what one process costs. */
export interface ClaudeCodeUsage {
  /** Takes a message of any of its agents; returns the sum so far where that is new. */
  addMessage(line: AssistantLine): Usage | undefined;
  /** Takes a result; returns the sum so far. */
  addResult(line: ResultLine): Usage | undefined;
}

/** Makes an empty account. */
export function createClaudeCodeUsage(): ClaudeCodeUsage {
  let settled: Usage | undefined;
  let pending: Usage | undefined;
  let lastMessageId: string | undefined;
  let lastTotalCostUsd = 0;
  return {
    addMessage({ message }) {
      // One message is told in several lines, one for each of its blocks, each with the same usage.
      if (message.usage === undefined || message.id === undefined || message.id === lastMessageId)
        return undefined;
      lastMessageId = message.id;
      pending = sumUsage([pending, toUsage(message.usage)]);
      return sumUsage([settled, pending]);
    },
    addResult(line) {
      const costUsd = line.total_cost_usd === undefined ? undefined : line.total_cost_usd - lastTotalCostUsd;
      lastTotalCostUsd = line.total_cost_usd ?? lastTotalCostUsd;
      settled = sumUsage([settled, readResult(line, costUsd)]);
      pending = undefined;
      return settled;
    },
  };
}

/**
 * The totals of a result count a resumed session from its very beginning, and its `usage` leaves sub-agents out;
 * what was used since the last result has neither fault. Older versions do not tell it.
 */
function readResult(line: ResultLine, costUsd: number | undefined): Usage | undefined {
  const { model_usage_since_last_result: byModel } = line;
  if (byModel !== undefined) {
    return sumUsage(
      Object.values(byModel).map(({ costUSD, ...tokens }) => ({
        inputTokens: tokens.inputTokens,
        outputTokens: tokens.outputTokens,
        cacheCreationInputTokens: tokens.cacheCreationInputTokens,
        cacheReadInputTokens: tokens.cacheReadInputTokens,
        ...(costUSD !== undefined && { costUsd: costUSD }),
      })),
    );
  }
  if (line.usage === undefined) return undefined;
  return { ...toUsage(line.usage), ...(costUsd !== undefined && { costUsd }) };
}

function toUsage(usage: ClaudeCodeTokens): Usage {
  return {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    cacheCreationInputTokens: usage.cache_creation_input_tokens,
    cacheReadInputTokens: usage.cache_read_input_tokens,
  };
}
