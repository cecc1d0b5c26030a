/**
 * Compares the pure functions of this library with those of `@ai-hero/sandcastle`, input by input.
 * `oracle-runs.test.ts` compares runs.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readPage } from '../docs/page-snippets.ts';
import { answerCases } from './answer-cases.ts';
import { declareCases, DIFFERENCES } from './oracle-case.ts';
import { runCases } from './run-cases.ts';
import { sessionCases } from './session-cases.ts';
import { streamCases } from './stream-cases.ts';

const folder = mkdtempSync(join(tmpdir(), 'truecast-oracle-'));
mkdirSync(join(folder, '.git'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const stored = sessionCases(folder);
const streamed = streamCases();
// Only listed here. They need a repository when they run.
const inRuns = [...answerCases(folder), ...runCases(() => folder)];

describe('sessions', () => declareCases(stored));
describe('agents', () => declareCases(streamed));

describe('the deliberate differences', () => {
  const cases = [...stored, ...streamed, ...inRuns];

  it('are few among many inputs', () => {
    expect(cases.length).toBeGreaterThanOrEqual(200);
    expect(new Set(cases.map(({ input }) => input)).size).toBe(cases.length);
  });

  it('each have an input that shows them', () => {
    const shown = new Set(cases.map(({ differs }) => differs));
    expect(DIFFERENCES.filter((name) => !shown.has(name))).toEqual([]);
  });

  it.each(DIFFERENCES)('are in docs/migrate.md: %s', (name) => {
    expect(readPage('docs/migrate.md')).toContain(`\n| ${name} | `);
  });
});
