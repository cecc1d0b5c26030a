/** Owns whether the conversation still fits the model's context, by what the last step used. Pure. */
import type { MessageRow, StepFacts } from '../contract/rows.ts';
import { stepsOf } from '../contract/turn-rows.ts';

/** What is known of the context. */
export interface ContextSettings {
  /** Tokens that the model takes, its answer included; undefined where nobody knows. */
  readonly contextLimitTokens?: number;
  /** The part of the limit from which on the conversation is summarized. @default 0.8 */
  readonly compactionThreshold?: number;
  /** Somebody asked for a summary, or the provider said that the conversation is too long. */
  readonly isCompactionRequested: boolean;
}

const DEFAULT_THRESHOLD = 0.8;

/** Tells whether the next step fits. A summary that did not help is told apart: another one would not help either. */
export function contextState(
  rows: readonly MessageRow[],
  settings: ContextSettings,
): 'fits' | 'full' | 'full-after-compaction' {
  const { contextLimitTokens, compactionThreshold = DEFAULT_THRESHOLD } = settings;
  const since = rows.slice(summaryIndex(rows) + 1).filter(({ isDeleted }) => !isDeleted);
  const steps = stepsOf(since);
  const used = steps.at(-1)?.step;
  if (contextLimitTokens === undefined || used === undefined) return 'fits';
  if (tokensOf(used) < contextLimitTokens * compactionThreshold) return 'fits';
  return steps.length === 1 && summaryIndex(rows) !== -1 ? 'full-after-compaction' : 'full';
}

/** The index of the latest summary; -1 where there is none. */
export function summaryIndex(rows: readonly MessageRow[]): number {
  return rows.findLastIndex(
    ({ isDeleted, parts }) => !isDeleted && parts.some(({ type }) => type === 'summary'),
  );
}

function tokensOf({ usage }: StepFacts): number {
  return usage.inputTokens + usage.cacheReadInputTokens + usage.cacheCreationInputTokens + usage.outputTokens;
}
