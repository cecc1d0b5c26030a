/** Context window check, based on the usage of the last step. Pure. */
import { totalTokens } from '@truecast/core/internal/kit/usage';
import type { MessageRow } from '../contract/rows.ts';
import { isUserMessage, stepsOf } from '../contract/turn-rows.ts';

/** Facts about the context window. */
export interface ContextSettings {
  /** Context size in tokens, output included. Undefined if unknown. */
  readonly contextLimitTokens?: number;
  /** Share of the limit at which the conversation is compacted. @default 0.8 */
  readonly compactionThreshold?: number;
  /** Maximum tokens of the next reply, which must fit too. @default unknown */
  readonly maxOutputTokens?: number;
  /** True if compaction was requested, or the provider reported an overflow. */
  readonly isCompactionRequested: boolean;
}

const DEFAULT_THRESHOLD = 0.8;

/**
 * Checks whether the next step fits. An unsuccessful compaction is reported separately, because
 * another one would not help either.
 */
export function contextState(
  rows: readonly MessageRow[],
  settings: ContextSettings,
): 'fits' | 'full' | 'full-after-compaction' {
  const { contextLimitTokens, compactionThreshold = DEFAULT_THRESHOLD, maxOutputTokens = 0 } = settings;
  const since = rows.slice(summaryIndex(rows) + 1).filter(({ isDeleted }) => !isDeleted);
  const steps = stepsOf(since);
  const used = steps.findLast(({ step }) => step?.usage !== undefined)?.step?.usage;
  // Without any counts, the service itself refuses a conversation that is too long.
  if (contextLimitTokens === undefined || used === undefined) return 'fits';
  const roomTokens = contextLimitTokens - Math.min(maxOutputTokens, contextLimitTokens / 2);
  if (totalTokens(used) < Math.min(contextLimitTokens * compactionThreshold, roomTokens)) return 'fits';
  // A later message starts a new turn: another compaction then has a finished one to summarize.
  const isNewTurn =
    since.findLastIndex(isUserMessage) > since.findLastIndex(({ step }) => step !== undefined);
  const isCompacted = steps.length === 1 && summaryIndex(rows) !== -1;
  return isCompacted && !isNewTurn ? 'full-after-compaction' : 'full';
}

/** Index of the latest summary, or -1. */
export function summaryIndex(rows: readonly MessageRow[]): number {
  return rows.findLastIndex(
    ({ isDeleted, parts }) => !isDeleted && parts.some(({ type }) => type === 'summary'),
  );
}
