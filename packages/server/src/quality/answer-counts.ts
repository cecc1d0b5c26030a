/** Counts of answers, and their shares. Pure. */
import type { QualityFigures } from '@truecast/client/internal/wire/quality';
import type { Deviations, EndedAnswer } from './ended-answer.ts';
import { addTimes, timeBucket, timePercentile, type TimeCounts } from './time-buckets.ts';

export interface AnswerCounts {
  answers: number;
  firstTry: number;
  valid: number;
  attempts: number;
  unanswered: number;
  costUsd: number | undefined;
  /** Times of the answers. Undefined where they are not counted. */
  readonly times: TimeCounts | undefined;
  deviations: Record<keyof Deviations, number> | undefined;
}

/** Times need memory: a bucket of a group has none. */
export function noCounts(hasTimes = true): AnswerCounts {
  return {
    answers: 0,
    firstTry: 0,
    valid: 0,
    attempts: 0,
    unanswered: 0,
    costUsd: undefined,
    times: hasTimes ? new Map() : undefined,
    deviations: undefined,
  };
}

/** Counts a request or a run. One without an attempt has no answer to count. */
export function addAnswer(counts: AnswerCounts, answer: EndedAnswer): void {
  const { attempts, isValid, isFirstTry, costUsd, durationMs } = answer;
  if (costUsd !== undefined) counts.costUsd = (counts.costUsd ?? 0) + costUsd;
  if (attempts === 0) {
    counts.unanswered += 1;
    return;
  }
  counts.answers += 1;
  counts.attempts += attempts;
  if (isValid) counts.valid += 1;
  if (isFirstTry) counts.firstTry += 1;
  if (durationMs !== undefined && counts.times) addTimes(counts.times, timeBucket(durationMs), 1);
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
  if (counts.times === undefined || added.times === undefined) return;
  for (const [bucket, answers] of added.times) addTimes(counts.times, bucket, answers);
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
  times,
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
    ...timesOf(times),
    ...(deviations !== undefined && { deviations: toView(deviations) }),
  };
}

/** Returns the median and the 95th percentile. */
export function timesOf(times: TimeCounts | undefined): Pick<QualityFigures, 'p50_ms' | 'p95_ms'> {
  const [p50, p95] = times === undefined ? [] : [timePercentile(times, 0.5), timePercentile(times, 0.95)];
  return { ...(p50 !== undefined && { p50_ms: p50 }), ...(p95 !== undefined && { p95_ms: p95 }) };
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
