/** Measures of a comparison: rates with intervals, time, cost, failures, and paired tests. Pure. */
import { sumUsage, totalTokens } from '@truecast/core/internal/kit/usage';
import { estimateClusteredRate, type RateEstimate } from '@truecast/core/internal/statistics/wilson-interval';
import { estimateMedian, type MedianEstimate } from '@truecast/core/internal/statistics/median-interval';
import { comparePairs, type PairedTest } from '@truecast/core/internal/statistics/paired-test';
import { attemptCodes, resultsByItem, type ItemResults, type Trial, type TrialResult } from './trial.ts';

export interface ContestantRow {
  readonly contestant: string;
  /** Answers that were valid at the first attempt. */
  readonly firstTry: RateEstimate;
  /** Answers that were valid in the end. */
  readonly valid: RateEstimate;
  /** Answers that were right, of those whose right answer is known. */
  readonly right?: RateEstimate;
  /** Milliseconds of a valid answer. Absent without one. */
  readonly durationMs?: MedianEstimate;
  /** Absent if no trial reported its tokens. */
  readonly tokens?: number;
  /** US dollars of all trials. Absent if none reported a cost. */
  readonly costUsd?: number;
  /** Includes the cost of failures. */
  readonly costUsdPerValid?: number;
  /** Attempts before the last one, by the code of their failure. */
  readonly retries: Readonly<Record<string, number>>;
  /** Failed trials, by code. */
  readonly failures: Readonly<Record<string, number>>;
  /** True if it was stopped early, because it certainly misses the required rate. */
  readonly isStopped: boolean;
}

/** Paired test of two contestants on the trials that both have. */
export interface ContestantPair extends PairedTest {
  readonly first: string;
  readonly second: string;
  readonly measure: 'right' | 'valid';
}

/** A failed or wrong trial, to show. */
export interface ShownFailure {
  readonly contestant: string;
  readonly line: number;
  readonly repeat: number;
  readonly message: string;
}

export interface Comparison {
  readonly items: number;
  readonly repeat: number;
  readonly seed: number;
  /** Fewer than 20 items. */
  readonly isWeak: boolean;
  readonly isBudgetSpent: boolean;
  readonly rows: readonly ContestantRow[];
  readonly pairs: readonly ContestantPair[];
  readonly failures: readonly ShownFailure[];
}

export interface ComparisonInput {
  readonly trials: readonly Trial[];
  readonly results: ReadonlyMap<string, TrialResult>;
  readonly repeat: number;
  readonly seed: number;
  readonly isBudgetSpent: boolean;
  readonly stopped: ReadonlySet<string>;
}

const ENOUGH_ITEMS = 20;
const MAX_MESSAGE_CHARS = 500;

export function measure({ trials, results, stopped, ...rest }: ComparisonInput): Comparison {
  const items = new Set(trials.map(({ item }) => item.key)).size;
  const names = [...new Set(trials.map(({ contestant }) => contestant.name))].toSorted();
  const byName = new Map(names.map((name) => [name, resultsByItem(name, trials, results)]));
  return {
    items,
    ...rest,
    isWeak: items < ENOUGH_ITEMS,
    rows: [...byName].map(([name, own]) => rowOf(name, own, { ...rest, stopped })),
    pairs: names.flatMap((first, index) =>
      names.slice(index + 1).map((second) => pairOf([first, second], byName)),
    ),
    failures: [...byName.values()].flatMap((own) => repeatsOf(own).flat().flatMap(failureOf)),
  };
}

function repeatsOf(results: ItemResults): readonly (readonly TrialResult[])[] {
  return [...results.values()].map((repeats) => [...repeats.values()]);
}

function rowOf(
  contestant: string,
  results: ItemResults,
  { seed, stopped }: Pick<ComparisonInput, 'seed' | 'stopped'>,
): ContestantRow {
  const items = repeatsOf(results);
  const own = items.flat();
  const rateOf = (succeeded: (result: TrialResult) => boolean): RateEstimate =>
    estimateClusteredRate(items.map((repeats) => repeats.map(succeeded)));
  const valid = own.filter(isValid);
  const known = items.map((repeats) => repeats.flatMap(({ right }) => right ?? []));
  const usage = sumUsage(own.map(({ usage: each }) => each));
  const durationMs = estimateMedian(
    items.map((repeats) => repeats.filter(isValid).map((result) => result.durationMs)),
    seed,
  );
  const costUsd = usage?.costUsd;
  const failed = own.flatMap((each) =>
    each.status === 'failed' ? [each.error.code ?? each.error.name] : [],
  );
  return {
    contestant,
    firstTry: rateOf((result) => isValid(result) && attemptCodes(result).length === 1),
    valid: rateOf(isValid),
    ...(known.flat().length > 0 && { right: estimateClusteredRate(known) }),
    ...(durationMs !== undefined && { durationMs }),
    ...(usage !== undefined && { tokens: totalTokens(usage) }),
    ...(costUsd !== undefined && { costUsd }),
    ...(costUsd !== undefined && valid.length > 0 && { costUsdPerValid: costUsd / valid.length }),
    retries: countsOf(own.flatMap((result) => attemptCodes(result).slice(0, -1))),
    failures: countsOf(failed),
    isStopped: stopped.has(contestant),
  };
}

function isValid({ status }: TrialResult): boolean {
  return status === 'ok';
}

function countsOf(codes: readonly string[]): Readonly<Record<string, number>> {
  const counts = [...Map.groupBy(codes, (code) => code)].map(([code, all]) => [code, all.length] as const);
  return Object.fromEntries(counts.toSorted(([, one], [, other]) => other - one));
}

function pairOf(
  [first, second]: readonly [string, string],
  byName: ReadonlyMap<string, ItemResults>,
): ContestantPair {
  const both = [...(byName.get(first) ?? [])].map(([item, repeats]) =>
    [...repeats].flatMap(([repeat, one]) => {
      const other = byName.get(second)?.get(item)?.get(repeat);
      return other === undefined ? [] : [[one, other] as const];
    }),
  );
  const all = both.flat();
  const isJudged = all.length > 0 && all.every((pair) => pair.every(({ right }) => right !== undefined));
  const succeeded = (result: TrialResult): boolean => (isJudged ? result.right === true : isValid(result));
  const test = comparePairs(
    both.map((repeats) => repeats.map(([one, other]) => [succeeded(one), succeeded(other)])),
  );
  return { first, second, measure: isJudged ? 'right' : 'valid', ...test };
}

function failureOf(result: TrialResult): ShownFailure[] {
  const { contestant, line, repeat } = result;
  if (result.status === 'failed') {
    const { code, name, message } = result.error;
    return [{ contestant, line, repeat, message: `${code ?? name}: ${message}`.slice(0, MAX_MESSAGE_CHARS) }];
  }
  if (result.right !== false) return [];
  const value = JSON.stringify(result.output) ?? 'null';
  return [{ contestant, line, repeat, message: `wrong: ${value}`.slice(0, MAX_MESSAGE_CHARS) }];
}
