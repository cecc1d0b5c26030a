/** Runner of a comparison's trials: skips stored ones, and stops at a budget or a hopeless rate. */
import { totalTokens, sumUsage, type Usage } from '@truecast/core/internal/kit/usage';
import { LimitError } from '@truecast/core/internal/errors/limit-error';
import { estimateClusteredRate } from '@truecast/core/internal/statistics/wilson-interval';
import type { Budget } from 'truecast/internal/run/options/run-bounds';
import type { Judge } from './right-answer.ts';
import { resultsByItem, type Trial, type TrialResult } from './trial.ts';

export interface RunTrialsOptions {
  readonly trials: readonly Trial[];
  /** Stored results by key. New ones are added. */
  readonly results: Map<string, TrialResult>;
  /** Usage of each run of a trial, also of failed ones that were repeated. New ones are added. */
  readonly usages: Map<string, Usage | undefined>;
  readonly judge: Judge;
  readonly concurrency: number;
  readonly retryFailed: boolean;
  /** Budget of all trials together, including stored ones. */
  readonly budget: Budget | undefined;
  /** Stops a contestant whose rate of valid answers is certainly below this rate. */
  readonly minValid: number | undefined;
  readonly signal: AbortSignal;
  /** Stores a result. Awaited. */
  store(result: TrialResult): Promise<void>;
  onResult(result: TrialResult): void;
}

export interface TrialsEnd {
  readonly isBudgetSpent: boolean;
  /** Contestants that were stopped early. */
  readonly stopped: ReadonlySet<string>;
}

export async function runTrials(options: RunTrialsOptions): Promise<TrialsEnd> {
  const { trials, concurrency, signal } = options;
  const end = { isBudgetSpent: false, stopped: new Set<string>() };
  const failed = new AbortController();
  const stop = AbortSignal.any([signal, failed.signal]);
  const waiting = trials.values();
  const work = async (): Promise<void> => {
    for (const trial of waiting) {
      stop.throwIfAborted();
      if (end.isBudgetSpent) return;
      await visit(trial, { ...options, signal: stop }, end).catch((error: unknown) => {
        failed.abort(error);
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return end;
}

interface End {
  isBudgetSpent: boolean;
  readonly stopped: Set<string>;
}

async function visit(trial: Trial, options: RunTrialsOptions, end: End): Promise<void> {
  const { results, retryFailed } = options;
  const stored = results.get(trial.key);
  if (stored !== undefined && !(stored.status === 'failed' && retryFailed)) {
    await judged(trial, stored, options);
    return;
  }
  const { name } = trial.contestant;
  if (end.stopped.has(name)) return;
  if (isHopeless(name, options)) {
    end.stopped.add(name);
    return;
  }
  const budget = restOf(options);
  end.isBudgetSpent ||= budget === 'spent';
  if (budget === 'spent') return;
  try {
    await attempt(trial, budget, options);
  } catch (error) {
    if (!LimitError.isInstance(error)) throw error;
    end.isBudgetSpent = true;
  }
}

async function attempt(trial: Trial, budget: Budget | undefined, options: RunTrialsOptions): Promise<void> {
  const { contestant, item, repeat, key } = trial;
  const { signal } = options;
  const result = await contestant.attempt({ item, repeat, signal, budget });
  const line = { ...result, key, contestant: contestant.name, repeat, judge: '' };
  options.onResult(await judged(trial, line, options));
}

/** Decides whether an answer is right, unless the same judge has already decided. */
async function judged(
  { item, contestant }: Trial,
  result: TrialResult,
  { judge, results, usages, store, signal }: RunTrialsOptions,
): Promise<TrialResult> {
  if (result.judge === judge.id) return result;
  const { right: _other, ...rest } = result;
  const right = await judge.isRight(result, item.input, { signal, check: contestant.check });
  const line: TrialResult = { ...rest, judge: judge.id, ...(right !== undefined && { right }) };
  await store(line);
  results.set(line.key, line);
  usages.set(runOf(line), line.usage);
  return line;
}

/** Key of one run of a trial. A result that is judged again keeps its start. */
export function runOf({ key, startedAt }: TrialResult): string {
  return `${key} ${startedAt}`;
}

/** Returns true if even the upper end of the interval is below the required rate. */
function isHopeless(name: string, { trials, results, minValid }: RunTrialsOptions): boolean {
  if (minValid === undefined) return false;
  const own = [...resultsByItem(name, trials, results).values()];
  const valid = own.map((repeats) => [...repeats.values()].map(({ status }) => status === 'ok'));
  return estimateClusteredRate(valid).high < minValid;
}

function restOf({ budget, usages }: RunTrialsOptions): Budget | undefined | 'spent' {
  if (budget === undefined) return undefined;
  const used: Usage | undefined = sumUsage([...usages.values()]);
  const tokens = budget.tokens === undefined ? undefined : budget.tokens - (used ? totalTokens(used) : 0);
  const usd = budget.usd === undefined ? undefined : budget.usd - (used?.costUsd ?? 0);
  if ((tokens ?? 1) <= 0 || (usd ?? 1) <= 0) return 'spent';
  return { ...(tokens !== undefined && { tokens }), ...(usd !== undefined && { usd }) };
}
