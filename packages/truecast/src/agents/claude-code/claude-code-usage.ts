/**
 * Usage accounting of one Claude Code process: an estimate from messages, replaced by the totals of
 * each result.
 */
import { sumUsage, type Usage } from '@truecast/core/internal/kit/usage';
import type { AssistantLine, ClaudeCodeTokens, ResultLine } from './claude-code-lines.ts';

/** Sums the usage of one process. */
export interface ClaudeCodeUsage {
  /** Adds a message of the main agent or a sub-agent. Returns the new sum if it changed. */
  addMessage(line: AssistantLine): Usage | undefined;
  /** Adds a result. Returns the sum so far. */
  addResult(line: ResultLine): Usage | undefined;
}

export function createClaudeCodeUsage(): ClaudeCodeUsage {
  let settled: Usage | undefined;
  let pending: Usage | undefined;
  let lastMessageId: string | undefined;
  let lastTotalCostUsd = 0;
  return {
    addMessage({ message }) {
      // One message arrives in several lines, one per block. Each line repeats the message's usage.
      if (message.usage === undefined || message.id === undefined || message.id === lastMessageId) {
        return undefined;
      }
      lastMessageId = message.id;
      pending = sumUsage([pending, usageOfTokens(message.usage)]);
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
 * The totals of a result include all earlier turns of a resumed session. Its `usage` excludes
 * sub-agents. The usage since the last result has neither problem. Older versions do not report it.
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
  return { ...usageOfTokens(line.usage), ...(costUsd !== undefined && { costUsd }) };
}

/** Converts the token counts of the Messages API. */
export function usageOfTokens(usage: ClaudeCodeTokens): Usage {
  return {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    cacheCreationInputTokens: usage.cache_creation_input_tokens,
    cacheReadInputTokens: usage.cache_read_input_tokens,
  };
}
