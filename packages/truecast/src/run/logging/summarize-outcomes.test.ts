import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { appendOutcome } from './outcome-log.ts';
import { readOutcomes, type RecordedOutcome } from './read-outcomes.ts';
import { createOutcomeTally, type OutcomeSummary } from './summarize-outcomes.ts';

const folder = mkdtempSync(join(tmpdir(), 'truecast-outcomes-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function outcome(changes: Partial<RecordedOutcome>): RecordedOutcome {
  return { time: new Date(0), code: 'ok', attempts: 1, agent: 'codex', ...changes };
}

function summarize(...outcomes: readonly RecordedOutcome[]): OutcomeSummary[] {
  const tally = createOutcomeTally();
  for (const one of outcomes) tally.add(one);
  return tally.summaries();
}

const usage = { inputTokens: 1, outputTokens: 2, cacheCreationInputTokens: 3, cacheReadInputTokens: 4 };

it('counts an answer at the first try, one after retries, and a failed one', () => {
  const [summary] = summarize(
    outcome({ attemptCodes: ['ok'] }),
    outcome({ attempts: 2, attemptCodes: ['invalid-json', 'ok'] }),
    outcome({ code: 'schema-mismatch', attempts: 2, attemptCodes: ['invalid-json', 'schema-mismatch'] }),
    outcome({ attempts: 1 }),
    outcome({ code: 'truncated', attempts: 1, attemptCodes: ['truncated'] }),
  );
  expect(summary).toMatchObject({
    runs: 5,
    answers: 5,
    firstTry: 0.4,
    firstTryInterval: { successes: 2, trials: 5, rate: 0.4 },
    afterRetries: 0.6,
    failures: { 'schema-mismatch': 1, truncated: 1 },
  });
});

it('keeps runs that came to no answer out of the share, and counts their failures', () => {
  const [summary] = summarize(outcome({}), outcome({ code: 'idle-timeout', attempts: 0, attemptCodes: [] }));
  expect(summary).toMatchObject({ runs: 2, answers: 1, firstTry: 1, failures: { 'idle-timeout': 1 } });
});

it('takes a valid answer for valid when what came after it failed', () => {
  const [summary] = summarize(outcome({ code: 'merge-conflict', attemptCodes: ['ok'] }));
  expect(summary).toMatchObject({ firstTry: 1, failures: { 'merge-conflict': 1 } });
});

it('parts agents, models, modes and outputs, the most used first', () => {
  const summaries = summarize(
    outcome({ model: 'a' }),
    outcome({ model: 'b', mode: 'tag', tag: 'result', schemaHash: 'abcdef0123456789' }),
    outcome({ model: 'b', mode: 'tag', tag: 'result', schemaHash: 'abcdef0123456789' }),
    outcome({ agent: 'pi', model: 'a' }),
  );
  expect(summaries.map(({ agent, model, mode, output, runs }) => [agent, model, mode, output, runs])).toEqual(
    [
      ['codex', 'b', 'tag', 'result#abcdef01', 2],
      ['codex', 'a', '-', '-', 1],
      ['pi', 'a', '-', '-', 1],
    ],
  );
});

it('sums tokens and cost, and reports no cost if no run reported one', () => {
  expect(summarize(outcome({ usage }), outcome({ usage: { ...usage, costUsd: 0.5 } }))[0]).toMatchObject({
    tokens: 20,
    costUsd: 0.5,
  });
  expect(summarize(outcome({ usage }))[0]?.costUsd).toBeUndefined();
});

it('takes median and 95th percentile by the nearest rank', () => {
  const twenty = Array.from({ length: 20 }, (_, index) => outcome({ durationMs: (index + 1) * 10 }));
  expect(summarize(...twenty.toReversed())[0]).toMatchObject({ medianMs: 100, p95Ms: 190 });
  const three = [10, 20, 30].map((durationMs) => outcome({ durationMs }));
  expect(summarize(...three)[0]).toMatchObject({ medianMs: 20, p95Ms: 30 });
  expect(summarize(outcome({ durationMs: 7 }))[0]).toMatchObject({ medianMs: 7, p95Ms: 7 });
  expect(summarize(outcome({}))[0]?.medianMs).toBeUndefined();
});

const CHECK = { verdict: 'passed', commit: 'c'.repeat(40), tree: 'd'.repeat(40), durationMs: 1_200 } as const;

it('counts the answers whose check passed on a commit', () => {
  const [summary] = summarize(outcome({ check: CHECK }), outcome({}));
  expect(summary).toMatchObject({ runs: 2, checked: 1 });
});

it('reads back what was recorded, past a line that was cut off', async () => {
  const path = join(folder, 'outcomes.jsonl');
  await appendOutcome(path, {
    ...outcome({ durationMs: 12, tag: 'result', usage, attemptCodes: ['ok'], check: CHECK }),
    issuePaths: [['a', 0]],
  });
  writeFileSync(path, '\n{"time":"2026-01-01T00:00', { flag: 'a' });
  const lines: unknown[] = [];
  for await (const one of readOutcomes(path)) lines.push(one);
  expect(lines).toEqual([
    outcome({ durationMs: 12, tag: 'result', usage, attemptCodes: ['ok'], check: CHECK }),
    undefined,
  ]);
  const tail = readOutcomes(path, { maxBytes: 20 });
  expect([await tail.next(), await tail.next()]).toEqual([
    { done: false, value: undefined },
    { done: true, value: false },
  ]);
});

it('reads a missing record as an empty one', async () => {
  for await (const one of readOutcomes(join(folder, 'none.jsonl'))) expect(one).toBeNull();
});
