/** Ended answer: the facts that the quality report counts, from each source. Pure. */
import type { QualitySource } from '@truecast/client/internal/wire/quality';
import type { AttemptIssue } from '@truecast/client/internal/wire/receipt';
import type { AnswerCompliance } from '@truecast/core/internal/event-contract/answer-compliance';

/** Facts by which answers are filtered. Times are milliseconds since 1970. */
export interface AnswerFilter {
  readonly since: number;
  readonly until: number;
  readonly model?: string;
  readonly name?: string;
  readonly schemaHash?: string;
  readonly agent?: string;
}

/** How the answer of an ensemble's agent was obtained. */
export type Deviations = Pick<AnswerCompliance, 'reAsked' | 'repaired' | 'coerced' | 'raw'>;

/** An ended request or run, or an event that a model wrote. */
export interface EndedAnswer {
  readonly source: QualitySource;
  readonly createdAt: number;
  readonly isValid: boolean;
  /** True if its first attempt was valid. */
  readonly isFirstTry: boolean;
  /** 0 without an answer to validate. */
  readonly attempts: number;
  /** Issues of each failed attempt. Empty if the source does not record them. */
  readonly issues: readonly (readonly AttemptIssue[])[];
  readonly model: string | null;
  readonly name: string | null;
  readonly schemaHash: string | null;
  readonly agent: string | null;
  readonly mode: string | null;
  readonly costUsd: number | undefined;
  /** From the start of the work to its end. Ensembles do not record it. */
  readonly durationMs: number | undefined;
  /** Events of ensembles only. */
  readonly deviations?: Deviations;
}

/**
 * Pages of one source.
 *
 * @yields pages of answers
 * @returns true if no older answer is missing
 */
export type AnswerPages = AsyncGenerator<readonly EndedAnswer[], boolean>;

/** Answers of one page. Other work runs between two pages, because counting blocks the event loop. */
export const PAGE_ROWS = 500;

/** Returns true if an answer passes a filter. */
export function isCounted(answer: EndedAnswer, filter: AnswerFilter): boolean {
  const { since, until, model, name, schemaHash, agent } = filter;
  if (answer.createdAt < since || answer.createdAt >= until) return false;
  if (schemaHash !== undefined && answer.schemaHash !== schemaHash) return false;
  if (model !== undefined && answer.model !== model) return false;
  if (agent !== undefined && answer.agent !== agent) return false;
  return name === undefined || answer.name === name;
}
