/**
 * Writes and checks the section of `docs/tested.md` about real models: it comes from the report that
 * `npm run proof:live -- --out test/live/report.json` writes.
 *
 * This test writes it: `npx vitest run test/docs/live-section.test.ts --update=all`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { liveSection, type LiveReport } from '../live/report.ts';
import { readPage } from './page-snippets.ts';

const PAGE = fileURLToPath(new URL('../../docs/tested.md', import.meta.url));
const REPORT = fileURLToPath(new URL('../live/report.json', import.meta.url));
const [START, END] = ['<!-- real models -->\n', '\n<!-- end of real models -->'];

it('docs/tested.md has the last report with real models, or says that there is none', async () => {
  // Written by prove-live.ts, which types it.
  const report = existsSync(REPORT) ? (JSON.parse(readFileSync(REPORT, 'utf8')) as LiveReport) : undefined;
  const [before = '', rest = ''] = readPage('docs/tested.md').split(START);
  const after = rest.slice(rest.indexOf(END));
  await expect(`${before}${START}${liveSection(report)}${after}`).toMatchFileSnapshot(PAGE);
});

it('shows who was asked, what was right and what it cost', () => {
  const answer = { task: 'number', attempts: 1, durationMs: 5 };
  const usage = { inputTokens: 9, outputTokens: 1, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };
  const section = liveSection({
    date: '2026-11-28',
    limitUsd: 2,
    spentUsd: 0.5,
    sandbox: 'bubblewrap',
    tasks: 20,
    rows: [
      {
        contestant: 'Codex',
        model: 'm',
        answers: [
          { ...answer, code: 'ok', isRight: true, usage: { ...usage, costUsd: 0.25 } },
          { ...answer, code: 'ok', attempts: 2, isRight: false, usage: { ...usage, costUsd: 0.25 } },
          { ...answer, code: 'truncated', attempts: 3, isRight: false },
        ],
        left: 'its share of the limit is spent',
      },
      { contestant: 'Google', model: 'n', answers: [], left: 'no GEMINI_API_KEY' },
    ],
  });
  expect(section).toContain('on 2026-11-28, sandbox bubblewrap, 0.50 of at most 2.00 US dollars.');
  expect(section).toContain(
    '| Codex | `m` | 3 of 20 | 2 | 1 | 1 | 0.500 | 1 truncated, its share of the limit is spent |',
  );
  expect(section).toContain('| Google | `n` | 0 of 20 | 0 | 0 | 0 | – | no GEMINI_API_KEY |');
});
