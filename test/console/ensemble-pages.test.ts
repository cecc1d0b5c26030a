/** Tests of the ensemble pages in a browser: no request, no script from a run, both widths. */
import type { Browser } from 'playwright-core';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { estimateRate } from '../../packages/core/src/statistics/wilson-interval.ts';
import { comparePage } from '../../packages/cli/src/compare/compare-page.ts';
import { evalPage } from '../../packages/cli/src/ensemble/pages/eval-page.ts';
import { replayPage } from '../../packages/cli/src/ensemble/pages/replay-page.ts';
import { matrixColumns } from '../matrix.ts';
import { closePages, openPage } from './kept-pages.ts';
import { sharedBrowser } from './shared-browser.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});
afterEach(() => closePages(browser));

const HOSTILE = '</script><script>document.title = "owned"</script><img src=x onerror="document.title=1">';
const lines = ['conductor', 'ada', 'bob', 'judge'].map((actor, turn) => ({
  turn,
  actor,
  kind: actor === 'judge' ? 'judge.verdict' : 'agent.spoke',
  // Longer than the window.
  text: `${HOSTILE} ${actor} speaks. ${'And speaks. '.repeat(200)}`,
  fields: { mood: 'calm' },
  how: 'first try',
}));
const REPLAY = replayPage({
  title: HOSTILE,
  goal: 'Win.',
  facts: 'Seed: fog',
  cast: ['ada', 'bob', 'judge'].map((name) => ({ name, role: 'worker', model: 'tiny' })),
  lines,
  ending: 'Ended by verdict.',
});
const EVAL = evalPage({
  name: 'nightly',
  runsPerCell: 2,
  rows: ['tiny', HOSTILE].map((model) => ({
    scenario: 'duel',
    model,
    runs: 2,
    ended: { verdict: 2 },
    firstTry: estimateRate(9, 10),
    valid: estimateRate(10, 10),
    calls: 11,
    callsPerAnswer: 1.1,
    callMs: { median: 800, p95: 1_200 },
    tokens: 4_000,
    costUsd: 0.01,
    wins: { ada: 2 },
  })),
});

const COMPARISON = comparePage({
  items: 5,
  repeat: 2,
  seed: 1,
  isWeak: true,
  isBudgetSpent: false,
  rows: ['codex', HOSTILE].map((contestant) => ({
    contestant,
    firstTry: estimateRate(9, 10),
    valid: estimateRate(10, 10),
    right: estimateRate(8, 10),
    durationMs: { count: 10, median: 1_200, low: 900, high: 2_000, p95: 3_000 },
    tokens: 4_000,
    costUsdPerValid: 0.01,
    retries: { 'invalid-json': 1 },
    failures: {},
    isStopped: false,
  })),
  pairs: [
    {
      first: 'codex',
      second: HOSTILE,
      measure: 'right',
      pairs: 10,
      onlyFirst: 2,
      onlySecond: 1,
      difference: 0.1,
      p: 1,
    },
  ],
  failures: [{ contestant: HOSTILE, line: 3, repeat: 1, message: `schema-mismatch: ${HOSTILE}` }],
});

/** The short form tries each page at one of them. */
const WIDTHS = [390, 1440];

async function opened(html: string, width: number) {
  const page = await openPage(browser);
  await page.setViewportSize({ width, height: 800 });
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.setContent(html);
  return { page, requests };
}

it.each(matrixColumns(0, WIDTHS, { rows: 2 }))(
  'replay shows the run line by line at a width of %i',
  async (width) => {
    const { page, requests } = await opened(REPLAY, width);
    const visible = (): Promise<number> => page.locator('.lines li:visible').count();
    expect(await visible()).toBe(4);
    expect(await page.evaluate('scrollY')).toBe(0);
    await page.getByLabel('Position in the run').fill('1');
    expect(await visible()).toBe(2);
    expect(await page.locator('.cast .speaks').textContent()).toContain('ada');
    expect(await page.locator('output').textContent()).toBe('turn 1 · 2/4');
    expect(await page.locator('.ending').isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Next line' }).click();
    await page.keyboard.press('ArrowRight');
    await expect.poll(visible).toBe(4);
    expect(await page.locator('.ending').textContent()).toBe('Ended by verdict.');
    expect(await page.title()).toContain('</script>');
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    expect(requests).toEqual([]);
  },
);

it.each(matrixColumns(1, WIDTHS, { rows: 2 }))(
  'the evaluation shows rates with intervals at a width of %i',
  async (width) => {
    const { page, requests } = await opened(EVAL, width);
    expect(await page.locator('tbody tr').count()).toBe(2);
    expect(await page.getByRole('img').first().getAttribute('aria-label')).toBe('9 of 10, 60 % to 98 %');
    expect(await page.getByText('Weak evidence').isVisible()).toBe(true);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    expect(await page.title()).toBe('Evaluation nightly');
    expect(requests).toEqual([]);
  },
);

it.each(matrixColumns(0, WIDTHS, { rows: 2 }))(
  'the comparison shows contestants, pairs and failures at a width of %i',
  async (width) => {
    const { page, requests } = await opened(COMPARISON, width);
    expect(await page.getByRole('heading').allTextContents()).toEqual([
      'Comparison',
      'Contestants',
      'Pairs',
      'Failures',
    ]);
    expect(await page.locator('tbody tr').count()).toBe(3);
    expect(await page.getByRole('img').first().getAttribute('aria-label')).toBe('9 of 10, 60 % to 98 %');
    expect(await page.locator('.failures li').first().textContent()).toContain('schema-mismatch: </script>');
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    expect(await page.title()).toBe('Comparison');
    expect(requests).toEqual([]);
  },
);
