/** Tests of the routes of kept runs, over HTTP and real files. */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stateHome } from '@truecast/host/internal/state-home';
import type { RunDetailView, RunPageView } from '@truecast/client/internal/wire/run';
import { keptRunId, type KeptRun } from 'truecast/internal/run/record/kept-run';
import { writeKeptRun } from 'truecast/internal/run/record/write-kept-run';
import { issueToken } from '../http/access-token.ts';
import { startServer, type TestServer } from '../http/test-server.ts';
import { openRunArchive } from './run-archive.ts';

const TRANSCRIPT = 'I looked 🔍. <result>{"line":"12"}</result> Sorry: <result>{"line":12}</result>';
const spanOf = (text: string): { readonly start: number; readonly end: number } => {
  const start = TRANSCRIPT.indexOf(text);
  return { start, end: start + text.length };
};
const run = (count: number, changes: Partial<KeptRun> = {}): KeptRun => ({
  version: 1,
  id: keptRunId(new Date(count * 1_000), '0123abcd'),
  agent: 'claude-code',
  sandbox: 'bubblewrap',
  prompt: `Prompt ${count} `.padEnd(400, '.'),
  startedAt: new Date(count * 1_000).toISOString(),
  durationMs: 41_000,
  code: 'ok',
  output: { route: 'tag', tag: 'result' },
  attempts: [
    { code: 'schema', message: '/line: Expected integer.', span: spanOf('{"line":"12"}') },
    { code: 'ok', message: 'The answer is valid.', span: spanOf('{"line":12}') },
    { code: 'ok', message: 'Outside.', span: { start: 0, end: TRANSCRIPT.length + 1 } },
  ],
  valueText: '{"line":12}',
  commits: ['205becc'],
  warnings: [],
  transcript: { chars: TRANSCRIPT.length, omittedChars: 7 },
  ...changes,
});

let folder: string;
let server: TestServer;
let token: string;

beforeAll(async () => {
  folder = join(stateHome(), `runs-${randomUUID()}`);
  server = await startServer({ runs: openRunArchive(folder) });
  ({ token } = await issueToken(server.store, { name: 'project', scopes: ['project'] }));
  const runs = [
    run(1),
    run(2, { code: 'exit', agent: 'codex', isReplayed: true }),
    run(3, { code: 'done', name: 'Triage' }),
  ];
  for (const each of runs) await writeKeptRun(folder, { run: each, transcript: TRANSCRIPT });
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

const page = async (query = ''): Promise<RunPageView> =>
  JSON.parse((await server.ask('GET', `/api/runs${query}`, { token })).text) as RunPageView;
const counts = ({ runs }: RunPageView): readonly number[] =>
  runs.map(({ started_at }) => Date.parse(started_at) / 1_000);

it('lists runs, the newest first, in pages and by filters, without their transcripts', async () => {
  const first = await page('?limit=2');
  expect(counts(first)).toEqual([3, 2]);
  expect(JSON.stringify(first)).not.toContain('I looked');
  expect(first.runs[0]).toMatchObject({ status: 'done', name: 'Triage', route: 'tag' });
  expect(first.runs.map(({ is_replayed }) => is_replayed)).toEqual([undefined, true]);
  expect(first.runs[0]?.prompt_preview).toHaveLength(160);
  const second = await page(`?limit=2&after=${first.next}`);
  expect([counts(second), second.next]).toEqual([[1], undefined]);
  expect(counts(await page('?limit=3'))).toEqual([3, 2, 1]);
  expect(counts(await page('?status=valid'))).toEqual([1]);
  expect(counts(await page('?agent=codex'))).toEqual([2]);
  expect(counts(await page('?q=triage'))).toEqual([3]);
  expect(counts(await page('?q=PROMPT%202'))).toEqual([2]);
});

it('reads a run with its transcript, and positions within it only', async () => {
  const { id } = run(1);
  const { status, text } = await server.ask('GET', `/api/runs/${id}`, { token });
  const detail = JSON.parse(text) as RunDetailView;
  expect([status, detail.value_text, detail.transcript]).toEqual([
    200,
    '{"line":12}',
    { text: TRANSCRIPT, omitted_chars: 7 },
  ]);
  const marked = detail.attempts.map(({ span }) => span && TRANSCRIPT.slice(span.start, span.end));
  expect(marked).toEqual(['{"line":"12"}', '{"line":12}', undefined]);
});

it('has no run for another id, for a path, and without the scope', async () => {
  for (const id of [run(9).id, 'x', '..%2Fruns', '%2e%2e%2fruns%2f' + run(1).id]) {
    const { status, json } = await server.ask('GET', `/api/runs/${id}`, { token });
    expect([id, status, json.code]).toEqual([id, 404, 'not_found']);
  }
  for (const path of ['/api/runs', `/api/runs/${run(1).id}`]) {
    const { status, json } = await server.ask('GET', path);
    expect([status, json.detail]).toEqual([404, expect.stringContaining('--scope project')]);
  }
  const { status, json } = await server.ask('GET', '/api/runs?after=1', { token });
  expect([status, json.field]).toEqual([400, 'after']);
});
