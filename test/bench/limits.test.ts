import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkLimits, limitsOf, type Limits } from '../../bench/harness/limits.ts';
import { ratiosOf } from '../../bench/harness/ratios.ts';
import type { Report } from '../../bench/harness/report.ts';

/** A report as the benches print it: ours and a peer, over a bare call and over ours. */
function report(ours: string, peer: string): Report {
  return {
    name: 'run-overhead',
    method: [],
    tables: [
      {
        title: 'run() of `git commit`, 3 rounds',
        columns: [
          'strategy',
          'contestant',
          'ms per run',
          '/ by hand',
          '/ truecast',
          'git processes',
          'growth x4',
        ],
        rows: [
          ['head', 'truecast', '28 (20 to 40)', ours, '1.00x', '5', '4.00x'],
          ['head', 'by hand', '20 (15 to 30)', '1.00x', '0.70x', '4', '-'],
          ['head', 'sandcastle', '99 (90 to 120)', '4.95x', peer, '11', '-'],
        ],
      },
    ],
  };
}

const OURS = 'run-overhead | run() of | head | truecast | / by hand';
const PEER = 'run-overhead | run() of | head | sandcastle | / truecast';
const measured = { date: '2026-01-01', commit: 'abcdef01', machine: 'a machine', isQuick: false };
const limits: Limits = limitsOf([report('1.40x', '3.60x')], measured, undefined);

describe('the ratios of a report', () => {
  it('are ours over a bare call, and a peer over ours', () => {
    expect(ratiosOf(report('1.40x', 'over 1,217x'))).toEqual([
      { key: OURS, value: 1.4, isOurs: true },
      { key: PEER, value: 1217, isOurs: false },
    ]);
  });
});

describe('the check of a run', () => {
  it('accepts the run that set the bounds, and one within the margin', () => {
    for (const run of [report('1.40x', '3.60x'), report('2.10x', '2.40x')]) {
      expect(checkLimits(limits, [run])).toEqual({ problems: [], worseThanGoal: [] });
    }
  });

  it('names the ratio, the value and the bound', () => {
    expect(checkLimits(limits, [report('2.11x', '2.39x')]).problems).toEqual([
      `${OURS}: 2.11x, expected at most 2.10x.`,
      `${PEER}: 2.39x, expected at least 2.40x.`,
    ]);
  });

  it('refuses a ratio without a bound, and a bound without its ratio', () => {
    const { [OURS]: _removed, ...ratios } = limits.ratios;
    expect(checkLimits({ ...limits, ratios }, [report('1.40x', '-')]).problems).toEqual([
      `${OURS}: 1.40x, no bound. Add one with \`--write-limits\`.`,
      `${PEER}: has a bound, but was not measured.`,
    ]);
  });

  it('does not miss the ratios of a bench that did not run', () => {
    expect(checkLimits(limits, [{ name: 'generate', method: [], tables: [] }]).problems).toEqual([]);
  });

  it('lists what is within its bound and worse than its goal', () => {
    const goals = { ...limits, ratios: { ...limits.ratios, [OURS]: { value: 1.4, atMost: 2.1, goal: 1.2 } } };
    expect(checkLimits(goals, [report('1.40x', '3.60x')])).toEqual({
      problems: [],
      worseThanGoal: [`${OURS}: 1.40x, goal 1.20x.`],
    });
    expect(checkLimits(goals, [report('1.20x', '3.60x')]).worseThanGoal).toEqual([]);
  });
});

describe('new limits', () => {
  it('keep the goals, and the bounds of benches that did not run', () => {
    const other = { 'generate | calls | generate() | / bare': { value: 1, atMost: 1.5 } };
    const earlier = { ...limits, ratios: { ...other, [OURS]: { value: 9, atMost: 9, goal: 1.2 } } };
    expect(limitsOf([report('1.50x', '3.00x')], { ...measured, isQuick: true }, earlier).ratios).toEqual({
      ...other,
      [OURS]: { value: 1.5, atMost: 4.5, goal: 1.2 },
      [PEER]: { value: 3, atLeast: 1 },
    });
  });
});

it('bench/limits.json bounds ratios on one side each', () => {
  const stored = JSON.parse(
    readFileSync(new URL('../../bench/limits.json', import.meta.url), 'utf8'),
  ) as Limits;
  const entries = Object.entries(stored.ratios);
  expect(entries.length).toBeGreaterThan(30);
  for (const [key, { value, atMost = Infinity, atLeast = 0 }] of entries) {
    expect([atMost === Infinity, atLeast === 0], key).toContain(false);
    expect(value, key).toBeLessThanOrEqual(atMost);
    expect(value, key).toBeGreaterThanOrEqual(atLeast);
  }
});
