/** Counts of answers, and their shares. Pure. */
import type { QualityFigures } from '@truecast/client/internal/wire/quality';
import type { Deviations, EndedAnswer } from './ended-answer.ts';

export interface AnswerCounts {
  answers: number;
  firstTry: number;
  valid: number;
  attempts: number;
  unanswered: number;
  costUsd: number | undefined;
  deviations: Record<keyof Deviations, number> | undefined;
}

export function noCounts(): AnswerCounts {
  return {
    answers: 0,
    firstTry: 0,
    valid: 0,
    attempts: 0,
    unanswered: 0,
    costUsd: undefined,
    deviations: undefined,
  };
}

/** Counts a request or a run. One without an attempt has no answer to count. */
export function addAnswer(counts: AnswerCounts, answer: EndedAnswer): void {
  const { attempts, isValid, isFirstTry, costUsd } = answer;
  if (costUsd !== undefined) counts.costUsd = (counts.costUsd ?? 0) + costUsd;
  if (attempts === 0) {
    counts.unanswered += 1;
    return;
  }
  counts.answers += 1;
  counts.attempts += attempts;
  if (isValid) counts.valid += 1;
  if (isFirstTry) counts.firstTry += 1;
  if (answer.deviations !== undefined) addDeviations(counts, answer.deviations);
}

/** Adds counts of answers without deviations. */
export function addCounts(counts: AnswerCounts, added: AnswerCounts): void {
  counts.answers += added.answers;
  counts.firstTry += added.firstTry;
  counts.valid += added.valid;
  counts.attempts += added.attempts;
  counts.unanswered += added.unanswered;
  if (added.costUsd !== undefined) counts.costUsd = (counts.costUsd ?? 0) + added.costUsd;
}

function addDeviations(counts: AnswerCounts, { reAsked, repaired, coerced, raw }: Deviations): void {
  const sum = (counts.deviations ??= { reAsked: 0, repaired: 0, coerced: 0, raw: 0 });
  if (reAsked) sum.reAsked += 1;
  if (repaired) sum.repaired += 1;
  if (coerced) sum.coerced += 1;
  if (raw) sum.raw += 1;
}

export function toFigures({
  answers,
  firstTry,
  valid,
  attempts,
  unanswered,
  costUsd,
  deviations,
}: AnswerCounts): QualityFigures {
  return {
    answers,
    first_try: firstTry,
    valid,
    attempts,
    unanswered,
    ...(answers > 0 && { first_try_share: shareOf(firstTry, answers), valid_share: shareOf(valid, answers) }),
    ...(costUsd !== undefined && { cost_usd: costUsd }),
    ...(deviations !== undefined && { deviations: toView(deviations) }),
  };
}

function toView({
  reAsked,
  ...rest
}: NonNullable<AnswerCounts['deviations']>): NonNullable<QualityFigures['deviations']> {
  return { re_asked: reAsked, ...rest };
}

/** Returns a share, rounded down so that 1 means every answer. */
function shareOf(part: number, whole: number): number {
  return Math.floor((part * 10_000) / whole) / 10_000;
}
