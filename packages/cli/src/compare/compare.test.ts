/** Tests of a comparison's plan, runner and measures with scripted contestants. */
import { describe, expect, it } from 'vitest';
import { LimitError } from '@truecast/core/internal/errors/limit-error';
import type { BatchItem, BatchResult } from 'truecast/internal/run/batch/batch-queue';
import { measure } from './comparison.ts';
import type { Contestant } from './contestant.ts';
import { createJudge } from './right-answer.ts';
import { runTrials, type RunTrialsOptions } from './run-trials.ts';
import { checkTrial, planTrials, type Trial, type TrialResult } from './trial.ts';

const ITEMS: readonly BatchItem[] = Array.from({ length: 20 }, (_, index) => ({
  key: `item-${index}`,
  line: index + 1,
  input: { N: index, expected: index % 2 === 0 },
  inputHash: '',
}));

interface Scripted extends Contestant {
  readonly calls: string[];
}

/**
 * A contestant whose answers are valid on the given lines. On every fifth line they are valid after
 * one retry.
 */
function contestant(name: string, isValid: (line: number, repeat: number) => boolean): Scripted {
  const calls: string[] = [];
  return {
    name,
    identity: name,
    calls,
    attempt({ item, repeat }) {
      calls.push(`${item.line}/${repeat}`);
      const { key, line, inputHash } = item;
      const base = { key, line, inputHash, commits: [], startedAt: '', durationMs: line * 100 };
      const usage = {
        inputTokens: 90,
        outputTokens: 10,
        cacheCreationInputTokens: 0,
        cacheReadInputTokens: 0,
      };
      const attempts = (line % 5 === 0 ? ['invalid-json', 'ok'] : ['ok']).map((code) => ({
        code,
        message: '',
      }));
      const result: BatchResult = isValid(line, repeat)
        ? {
            ...base,
            status: 'ok',
            output: item.input['expected'],
            provenance: { mode: 'json', attempts, raw: '', repairs: [] },
            usage: { ...usage, costUsd: 0.01 },
          }
        : {
            ...base,
            status: 'failed',
            error: {
              name: 'E',
              code: 'schema-mismatch',
              message: 'No.',
              attempts: ['invalid-json', 'schema-mismatch'],
            },
            usage,
          };
      return Promise.resolve(result);
    },
  };
}

function optionsFor(trials: readonly Trial[], more: Partial<RunTrialsOptions> = {}): RunTrialsOptions {
  return {
    trials,
    results: new Map(),
    usages: new Map(),
    judge: createJudge(undefined),
    concurrency: 1,
    retryFailed: false,
    budget: undefined,
    minValid: undefined,
    signal: new AbortController().signal,
    store: () => Promise.resolve(),
    onResult: () => undefined,
    ...more,
  };
}

describe('the plan', () => {
  const contestants = ['a', 'b', 'c'].map((name) => contestant(name, () => true));

  it('has blocks of all contestants on one item, and repeats after all items', () => {
    const trials = planTrials(ITEMS, contestants, { repeat: 2, seed: 1 });
    expect(trials).toHaveLength(120);
    for (let start = 0; start < trials.length; start += 3) {
      const block = trials.slice(start, start + 3);
      expect(new Set(block.map(({ item, repeat }) => `${item.key}/${repeat}`)).size).toBe(1);
      expect(block.map((trial) => trial.contestant.name).toSorted()).toEqual(['a', 'b', 'c']);
    }
    expect(new Set(trials.map(({ key }) => key)).size).toBe(120);
    expect(trials.slice(0, 60).every(({ repeat }) => repeat === 1)).toBe(true);
  });

  it('keeps the keys of earlier repeats when more are asked for', () => {
    const few = planTrials(ITEMS, contestants, { repeat: 1, seed: 1 });
    const many = planTrials(ITEMS, contestants, { repeat: 3, seed: 9 });
    expect(few.filter(({ key }) => !many.some((trial) => trial.key === key))).toEqual([]);
  });
});

describe('the measures', () => {
  it('rank contestants by their known rates, with retries, failures, cost and a paired test', async () => {
    const good = contestant('good', () => true);
    const bad = contestant('bad', (line) => line % 2 === 0);
    const trials = planTrials(ITEMS, [good, bad], { repeat: 2, seed: 1 });
    const options = optionsFor(trials);
    const end = await runTrials(options);
    const comparison = measure({ trials, results: options.results, repeat: 2, seed: 1, ...end });
    expect(comparison).toMatchObject({ items: 20, isWeak: false, isBudgetSpent: false });
    expect(comparison.rows).toMatchObject([
      {
        contestant: 'bad',
        firstTry: { successes: 16, trials: 40 },
        valid: { successes: 20, trials: 40 },
        right: { successes: 20, trials: 40 },
        retries: { 'invalid-json': 24 },
        failures: { 'schema-mismatch': 20 },
        costUsdPerValid: expect.closeTo(0.01, 6),
      },
      {
        contestant: 'good',
        firstTry: { successes: 32, trials: 40 },
        valid: { rate: 1 },
        durationMs: { count: 40, median: 1_000, p95: 1_900 },
        tokens: 4_000,
        failures: {},
      },
    ]);
    expect(comparison.pairs).toMatchObject([
      {
        first: 'bad',
        second: 'good',
        measure: 'right',
        pairs: 40,
        onlyFirst: 0,
        onlySecond: 20,
        difference: -0.5,
      },
    ]);
    // Ten inputs differ, twice each.
    expect(comparison.pairs[0]?.p).toBe(2 ** -9);
    expect(comparison.failures).toHaveLength(20);
  });

  it('warn about fewer than 20 items, and know no right answer without `expected`', async () => {
    const items = ITEMS.slice(0, 3).map((item) => ({ ...item, input: {} }));
    const trials = planTrials(items, [contestant('only', () => true)], { repeat: 1, seed: 1 });
    const options = optionsFor(trials);
    const end = await runTrials(options);
    const comparison = measure({ trials, results: options.results, repeat: 1, seed: 1, ...end });
    expect(comparison).toMatchObject({ isWeak: true, pairs: [] });
    expect(comparison.rows[0]?.right).toBeUndefined();
  });
});

describe('the runner', () => {
  it('runs no stored trial again, except failed ones on request', async () => {
    const half = contestant('half', (line) => line <= 10);
    const trials = planTrials(ITEMS, [half], { repeat: 1, seed: 1 });
    const options = optionsFor(trials);
    await runTrials(options);
    await runTrials(options);
    expect(half.calls).toHaveLength(20);
    await runTrials({ ...options, retryFailed: true });
    expect(half.calls).toHaveLength(30);
  });

  it('stops a contestant whose interval is below the required rate', async () => {
    const bad = contestant('bad', () => false);
    const good = contestant('good', () => true);
    const trials = planTrials(ITEMS, [bad, good], { repeat: 1, seed: 1 });
    const end = await runTrials(optionsFor(trials, { minValid: 0.9 }));
    expect([...end.stopped]).toEqual(['bad']);
    // The interval of 0 of 1 ends at 79 %.
    expect(bad.calls).toHaveLength(1);
    expect(good.calls).toHaveLength(20);
  });

  it('stops at the budget of all trials, also when a trial exceeds it', async () => {
    const one = contestant('one', () => true);
    const trials = planTrials(ITEMS, [one], { repeat: 1, seed: 1 });
    expect(await runTrials(optionsFor(trials, { budget: { tokens: 450 } }))).toMatchObject({
      isBudgetSpent: true,
    });
    expect(one.calls).toHaveLength(5);
    const spent: Contestant = {
      ...one,
      attempt: () => Promise.reject(new LimitError('Spent.', { code: 'tokens' })),
    };
    const again = planTrials(ITEMS, [spent], { repeat: 1, seed: 1 });
    expect(await runTrials(optionsFor(again, { budget: { tokens: 450 } }))).toMatchObject({
      isBudgetSpent: true,
    });
  });

  it('counts failed trials that were repeated towards the budget, and results judged again once', async () => {
    let second = 0;
    const bad = contestant('bad', () => false);
    const one: Contestant = {
      ...bad,
      attempt: async (task) => ({ ...(await bad.attempt(task)), startedAt: `second ${(second += 1)}` }),
    };
    const trials = planTrials(ITEMS.slice(0, 2), [one], { repeat: 1, seed: 1 });
    const options = { ...optionsFor(trials), retryFailed: true, budget: { tokens: 350 } };
    expect(await runTrials(options)).toMatchObject({ isBudgetSpent: false });
    await runTrials({ ...options, retryFailed: false, judge: createJudge('true') });
    expect(await runTrials(options)).toMatchObject({ isBudgetSpent: false });
    expect(await runTrials(options)).toMatchObject({ isBudgetSpent: true });
    expect(bad.calls).toHaveLength(4);
  });

  it('ends at the first error of a trial, and stores lines that can be read again', async () => {
    const stored: TrialResult[] = [];
    const one = contestant('one', () => true);
    const trials = planTrials(ITEMS, [one], { repeat: 1, seed: 1 });
    const store = (line: TrialResult): Promise<void> => Promise.resolve(void stored.push(line));
    await runTrials(optionsFor(trials, { store, concurrency: 3 }));
    expect(stored.map((line) => checkTrial(structuredClone(line)))).toEqual(stored);
    expect(checkTrial({ key: 'k' })).toBeUndefined();
    const failing: Contestant = { ...one, attempt: () => Promise.reject(new TypeError('Broken.')) };
    const broken = runTrials(
      optionsFor(planTrials(ITEMS, [failing], { repeat: 1, seed: 1 }), { concurrency: 3 }),
    );
    await expect(broken).rejects.toThrow('Broken.');
  });

  it('judges stored answers again when the check changes, without a call', async () => {
    const one = contestant('one', () => true);
    const trials = planTrials(ITEMS.slice(0, 2), [one], { repeat: 1, seed: 1 });
    const options = optionsFor(trials);
    await runTrials(options);
    await runTrials({ ...options, judge: createJudge('grep -q true') });
    const right = new Map([...options.results.values()].map((result) => [result.line, result.right]));
    expect([right.get(1), right.get(2)]).toEqual([true, false]);
    expect(one.calls).toHaveLength(2);
  });
});
