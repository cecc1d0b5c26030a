/** Tests of the routes of runs, live and finished, over HTTP and real files. */
import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type {
  RunDetailView,
  RunEventPageView,
  RunPageView,
  RunStreamEvent,
  RunTranscriptView,
} from '@truecast/client/internal/wire/kept-run';
import { stateFolderOf } from '@truecast/host/internal/state-folder';
import { thisProcess } from 'truecast/internal/process/process-identity';
import { keptRunId } from 'truecast/internal/run/record/kept-run';
import type { KeptRun } from 'truecast/internal/run/record/kept-run-record';
import { writeKeptRun } from 'truecast/internal/run/record/write-kept-run';
import { issueToken } from '../../tokens/access-token.ts';
import { readRunStream, type ReadEvent } from '../../http/stream/test-stream.ts';
import { startServer, type TestServer } from '../../http/test-server.ts';
import type { RunListQuery } from '../../contract/run-archive.ts';
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
  output: { mode: 'tag', tag: 'result' },
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

let project: string;
let folder: string;
let server: TestServer;
let token: string;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'truecast-runs-'));
  folder = stateFolderOf(project);
  server = await startServer({ runs: openRunArchive(folder) });
  ({ token } = await issueToken(server.store, { name: 'project', scopes: ['project'] }));
  const runs = [
    run(1, { check: { verdict: 'passed', commit: '205becc', tree: 'e1f', durationMs: 2_140 } }),
    run(2, { code: 'exit', agent: 'codex', model: 'opus', isReplayed: true }),
    run(3, { code: 'done', name: 'Triage' }),
  ];
  for (const each of runs) await writeKeptRun(folder, { run: each, transcript: TRANSCRIPT });
});
afterAll(async () => {
  await server.close();
  await rm(project, { recursive: true });
});

const page = async (query = ''): Promise<RunPageView> =>
  JSON.parse((await server.ask('GET', `/api/kept_runs${query}`, { token })).text) as RunPageView;
const counts = ({ runs }: RunPageView): readonly number[] =>
  runs.map(({ started_at }) => Date.parse(started_at) / 1_000);

it('lists the id with which a run was started', async () => {
  const path = join(project, 'with-ids');
  for (const each of [run(1, { runId: 'job-1' }), run(2)]) {
    await writeKeptRun(path, { run: each, transcript: TRANSCRIPT });
  }
  const { runs } = await openRunArchive(path).list({ limit: 10, sort: 'attempts', direction: 'desc' });
  expect(runs.map((each) => each.run_id)).toEqual([undefined, 'job-1']);
});

it('lists runs, the newest first, in pages and by filters, without their transcripts', async () => {
  const first = await page('?limit=2');
  expect(counts(first)).toEqual([3, 2]);
  expect(JSON.stringify(first)).not.toContain('I looked');
  expect(first.runs[0]).toMatchObject({ status: 'done', name: 'Triage', mode: 'tag' });
  expect(first.runs.map(({ is_replayed }) => is_replayed)).toEqual([undefined, true]);
  expect(first.runs[0]?.prompt_preview).toHaveLength(160);
  const second = await page(`?limit=2&after=${first.next}`);
  expect([counts(second), second.next]).toEqual([[1], undefined]);
  expect(counts(await page('?limit=3'))).toEqual([3, 2, 1]);
  expect(counts(await page('?status=valid'))).toEqual([1]);
  expect(counts(await page('?agent=codex'))).toEqual([2]);
  expect(counts(await page('?model=opus'))).toEqual([2]);
  expect(counts(await page('?q=triage'))).toEqual([3]);
  expect(counts(await page('?q=PROMPT%202'))).toEqual([2]);
});

it('orders runs by a number in pages, and leaves out live ones and those without it', async () => {
  const own = await mkdtemp(join(tmpdir(), 'truecast-ordered-runs-'));
  const costs = [0.25, 3, undefined, 0.25, 0.000_002];
  const usage = { inputTokens: 1, outputTokens: 1, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };
  const runs = costs.map((costUsd, index) =>
    run(index + 1, {
      durationMs: 1_000 - index,
      attempts: index === 0 ? [] : Array.from({ length: index }, () => ({ code: 'ok', message: 'valid' })),
      ...(costUsd !== undefined && { usage: { ...usage, costUsd } }),
    }),
  );
  for (const each of runs) await writeKeptRun(stateFolderOf(own), { run: each, transcript: TRANSCRIPT });
  const archive = openRunArchive(stateFolderOf(own));
  const { agent, sandbox, prompt, startedAt, id } = run(6);
  await mkdir(join(stateFolderOf(own), 'runs', id), { recursive: true });
  const live = { version: 1, id, agent, sandbox, prompt, startedAt, process: thisProcess() };
  await writeFile(join(stateFolderOf(own), 'runs', id, 'start.json'), JSON.stringify(live));
  const all = async (query: Pick<RunListQuery, 'sort' | 'direction'>): Promise<readonly number[]> => {
    const found: number[] = [];
    for (let after: string | undefined = ''; after !== undefined;) {
      const read: RunPageView = await archive.list({ ...query, limit: 2, ...(after !== '' && { after }) });
      found.push(...counts(read));
      after = read.next;
    }
    return found;
  };
  const [desc, asc] = ['desc', 'asc'] as const;
  expect(await all({ sort: 'created', direction: desc })).toEqual([6, 5, 4, 3, 2, 1]);
  expect(await all({ sort: 'created', direction: asc })).toEqual([1, 2, 3, 4, 5, 6]);
  expect(await all({ sort: 'cost', direction: desc })).toEqual([2, 4, 1, 5]);
  expect(await all({ sort: 'cost', direction: asc })).toEqual([5, 1, 4, 2]);
  expect(await all({ sort: 'duration', direction: desc })).toEqual([1, 2, 3, 4, 5]);
  expect(await all({ sort: 'attempts', direction: desc })).toEqual([5, 4, 3, 2]);
  await rm(own, { recursive: true });
});

it('reads a run with its transcript, and positions within it only', async () => {
  const { id } = run(1);
  const { status, text } = await server.ask('GET', `/api/kept_runs/${id}`, { token });
  const detail = JSON.parse(text) as RunDetailView;
  expect([status, detail.value_text, detail.transcript]).toEqual([
    200,
    '{"line":12}',
    { text: TRANSCRIPT, omitted_chars: 7 },
  ]);
  expect(detail.check).toEqual({ verdict: 'passed', commit: '205becc', tree: 'e1f', duration_ms: 2_140 });
  const marked = detail.attempts.map(({ span }) => span && TRANSCRIPT.slice(span.start, span.end));
  expect(marked).toEqual(['{"line":"12"}', '{"line":12}', undefined]);
});

it('has no run for another id, for a path, and without the scope', async () => {
  for (const id of [run(9).id, 'x', '..%2Fruns', '%2e%2e%2fruns%2f' + run(1).id]) {
    const { status, json } = await server.ask('GET', `/api/kept_runs/${id}`, { token });
    expect([id, status, json.code]).toEqual([id, 404, 'not_found']);
  }
  for (const path of ['events', 'transcript', 'stream']) {
    const { status, json } = await server.ask('GET', `/api/kept_runs/${run(9).id}/${path}`, { token });
    expect([path, status, json.code]).toEqual([path, 404, 'not_found']);
  }
  const { id } = run(1);
  for (const path of ['', `/${id}`, `/${id}/events`, `/${id}/transcript`, `/${id}/stream`]) {
    const { status, json } = await server.ask('GET', `/api/kept_runs${path}`);
    expect([status, json.detail]).toEqual([404, expect.stringContaining('--scope project')]);
  }
  const { status, json } = await server.ask('GET', '/api/kept_runs?after=1', { token });
  expect([status, json.field]).toEqual([400, 'after']);
});

const json = async <T>(path: string): Promise<T> =>
  JSON.parse((await server.ask('GET', `/api/kept_runs/${path}`, { token })).text) as T;

it('reads a range of a transcript', async () => {
  const { id } = run(1);
  const { start, end } = spanOf('{"line":12}');
  const range = (query: string): Promise<RunTranscriptView> => json(`${id}/transcript${query}`);
  const { length: chars } = TRANSCRIPT;
  const whole = { from: 0, to: chars, chars, omitted_chars: 7 };
  expect(await range('')).toEqual({ ...whole, text: TRANSCRIPT });
  expect(await range(`?from=${start}&to=${end}`)).toMatchObject({
    text: '{"line":12}',
    from: start,
    to: end,
  });
  expect(await range(`?to=10`)).toMatchObject({ text: 'I looked \ufffd', to: 10 });
  expect(await range('?from=9999&to=3')).toMatchObject({ text: '', from: chars, to: chars });
  const { status, json: problem } = await server.ask('GET', `/api/kept_runs/${id}/transcript?from=-1`, {
    token,
  });
  expect([status, problem.field]).toEqual([400, 'from']);
});

const LIVE = run(500).id;
const place = (id: string, name: string): string => join(folder, 'runs', id, name);
/** Starts a run of this process, or of one that has ended. */
const start = async (id: string, isDead = false): Promise<void> => {
  const { agent, sandbox, prompt, startedAt } = run(500);
  const process = { ...thisProcess(), ...(isDead && { processStartTime: '1' }) };
  await mkdir(join(folder, 'runs', id), { recursive: true });
  await writeFile(
    place(id, 'start.json'),
    JSON.stringify({ version: 1, id, agent, sandbox, prompt, startedAt, process }),
  );
};
const at = new Date(501_000).toISOString();
const say = (id: string, text: string, type = 'text'): Promise<void> =>
  appendFile(place(id, 'events.jsonl'), `${JSON.stringify({ type, at, iteration: 1, text })}\n`);
const told = ({ event }: ReadEvent<RunStreamEvent>): string =>
  event.type === 'status' ? event.status : `${event.type} ${event.text}`;

it('follows a live run from any event to its end, by a stream and by requests that wait', async () => {
  await start(LIVE);
  await say(LIVE, 'I look. ');
  expect((await page('?status=live')).runs).toMatchObject([{ id: LIVE, status: 'live', code: 'live' }]);
  const changed = (await openRunArchive(folder).changes(0)).map(({ run: { id, status } }) => [id, status]);
  expect(changed).toContainEqual([LIVE, 'live']);
  const detail = await json<RunDetailView>(LIVE);
  expect([detail.status, detail.transcript.text]).toEqual(['live', 'I look. ']);
  const first = await json<RunEventPageView>(`${LIVE}/events`);
  expect(first.events).toMatchObject([{ type: 'text', at, text: 'I look. ', id: first.next }]);
  const waiting = json<RunEventPageView>(`${LIVE}/events?wait=25&after=${first.next}`);
  const streamed = readRunStream(server, LIVE, { token, until: () => false });
  const resumed = readRunStream(server, LIVE, { token, lastId: first.next ?? '', until: () => false });
  const cut = await readRunStream(server, LIVE, { token, until: (each) => each.event.type === 'text' });
  expect(cut.map(told)).toEqual(['live', 'text I look. ']);
  await say(LIVE, 'I answer.');
  expect((await waiting).events).toMatchObject([{ text: 'I answer.' }]);
  expect(await json(`${LIVE}/transcript?from=7`)).toMatchObject({ text: ' I answer.', chars: 17 });
  await say(LIVE, 'It failed.', 'end');
  await writeKeptRun(folder, { run: run(500, { code: 'exit' }), transcript: 'I look. I answer.' });
  expect((await streamed).map(told)).toEqual([
    'live',
    'text I look. ',
    'text I answer.',
    'end It failed.',
    'failed',
  ]);
  expect((await resumed).map(told)).toEqual(['live', 'text I answer.', 'end It failed.', 'failed']);
  const after = await json<RunEventPageView>(`${LIVE}/events?limit=2&wait=25`);
  expect([after.status, after.events.length]).toEqual(['failed', 2]);
  const last = await json<RunEventPageView>(`${LIVE}/events?after=${after.next}`);
  expect([last.events.map(({ type }) => type), last.next]).toEqual([['end'], undefined]);
});

it('says that a run whose process has ended was interrupted, and keeps what it said', async () => {
  const { id } = run(400);
  await start(id, true);
  await say(id, 'I look.');
  await say(id, 'Slow.', 'warning');
  const [listed] = (await page('?status=interrupted')).runs;
  expect(listed).toMatchObject({ id, code: 'interrupted' });
  expect(listed?.error).toContain('was killed before the end of the run');
  expect(await json(id)).toMatchObject({ transcript: { text: 'I look.' }, warnings: ['Slow.'] });
  const streamed = await readRunStream(server, id, { token, until: () => false });
  expect(streamed.map(told)).toEqual(['interrupted', 'text I look.', 'warning Slow.']);
});

it('refuses a position that no event has', async () => {
  const headers = { 'last-event-id': 'x' };
  const { status, json: problem } = await server.ask('GET', `/api/kept_runs/${run(1).id}/stream`, {
    token,
    headers,
  });
  expect([status, problem.field]).toEqual([400, 'Last-Event-ID']);
});
