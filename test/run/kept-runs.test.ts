/** Tests of kept runs: what is shown of a run while it is going and later, down to its characters. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { stateFolderOf } from '../../packages/host/src/state-folder.ts';
import { keptRunId, MAX_KEPT_RUNS } from '../../packages/truecast/src/run/record/kept-run.ts';
import { thisProcess } from '../../packages/truecast/src/process/process-identity.ts';
import { RunJournal } from '../../packages/truecast/src/run/logging/run-journal.ts';
import {
  listKeptRunIds,
  readKeptRun,
  readOpenRun,
  readTranscript,
} from '../../packages/truecast/src/run/record/read-kept-runs.ts';
import { readRunJournal } from '../../packages/truecast/src/run/record/read-run-journal.ts';
import { writeKeptRun } from '../../packages/truecast/src/run/record/write-kept-run.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { step } from '../../packages/testing/src/scripted-agent/agent-step.ts';
import { scriptedAgent } from '../../packages/testing/src/scripted-agent/scripted-agent.ts';
import { bundledHost } from '../bundled-host.ts';
import { commitLine, makeRepository, runOptions, temporaryFolder } from './fixture.ts';

const SECRET = 'geheimes-Wort-🔑-7';
const output = Output.object({
  tag: 'result',
  schema: z.object({ area: z.string(), severity: z.enum(['high', 'low']) }),
  maxCorrections: 1,
  retry: 'fresh',
});

it('keeps the transcript with the characters of each attempt, and secrets as long as they were', async () => {
  const cwd = makeRepository();
  const refused = '{"area":"parser","severity":"hgh"}';
  const valid = '{"area":"parser","severity":"high"}';
  const agent = scriptedAgent({
    steps: ({ callIndex }) => [
      step.print(`😀 The key is ${SECRET}. `),
      step.shell(commitLine(`file-${callIndex}`)),
      step.print(`<result>${callIndex === 0 ? refused : valid}</result> Done.`),
    ],
  });
  const result = await run({ ...runOptions('', { cwd, agent, env: { API_KEY: SECRET } }), output });
  const folder = stateFolderOf(cwd);
  const [id = '', ...others] = await listKeptRunIds(folder);
  expect(others).toEqual([]);
  const kept = await readKeptRun(folder, id);
  const transcript = (await readTranscript(folder, id)) ?? '';
  expect(kept).toMatchObject({
    id,
    code: 'ok',
    prompt: 'Answer in <result>.',
    sandbox: 'no-sandbox',
    branch: result.branch,
    output: { mode: 'tag', tag: 'result' },
    valueText: valid,
    commits: result.commits.map(({ sha }) => sha),
    transcript: { chars: result.text.length, omittedChars: 0 },
  });
  expect(transcript.length).toBe(result.text.length);
  expect(transcript).not.toContain(SECRET);
  expect(transcript).toContain('*'.repeat(SECRET.length));
  const marked = kept?.attempts.map(({ code, span }) => [code, transcript.slice(span?.start, span?.end)]);
  expect(marked).toEqual([
    ['schema-mismatch', refused],
    ['ok', valid],
  ]);
  const { events } = await readRunJournal(folder, id, { after: 0, limit: 100 });
  const rules = events.flatMap(({ event }) => (event.type === 'attempt' ? [event.issues] : []));
  expect(rules).toEqual([
    [{ path: '/severity', rule: expect.stringContaining('"high"') as string }],
    undefined,
  ]);
});

/** All events of a journal as `type name text`, read in pages. */
async function eventsOf(folder: string, id: string, limit = 2): Promise<readonly string[]> {
  const lines: string[] = [];
  for (let after = 0, hasMore = true; hasMore;) {
    const page = await readRunJournal(folder, id, { after, limit });
    for (const { event } of page.events) {
      const { type, name, text } = event;
      lines.push([type, name, text].filter((part) => part !== undefined).join(' '));
    }
    ({ hasMore, end: after } = page);
  }
  return lines;
}

it('keeps the id with which a run can be repeated', async () => {
  const cwd = makeRepository();
  await run({ ...runOptions('true', { cwd, branchStrategy: { type: 'merge-to-head' } }), id: 'job-1' });
  const folder = stateFolderOf(cwd);
  const [id = ''] = await listKeptRunIds(folder);
  expect(await readKeptRun(folder, id)).toMatchObject({ id, runId: 'job-1' });
});

it('shows a run that is going to other processes, with its text and its secrets masked', async () => {
  const cwd = makeRepository();
  const folder = stateFolderOf(cwd);
  const wait = 'while [ ! -e ../go ]; do sleep 0.02; done';
  const agent = scriptedAgent({
    steps: () => [
      step.print(`I look at ${SECRET}. `),
      step.shell(wait),
      step.print('<result>{"area":"a","severity":"low"}</result>'),
    ],
  });
  const options = runOptions('', { cwd, agent, name: 'Triage', env: { API_KEY: SECRET } });
  const running = run({ ...options, output });
  const idNow = async (): Promise<string> => (await listKeptRunIds(folder))[0] ?? '';
  await expect
    .poll(async () => (await eventsOf(folder, await idNow())).at(-1), { timeout: 20_000 })
    .toMatch(/^text I look/u);
  const id = await idNow();
  expect(await readOpenRun(folder, id)).toMatchObject({
    isLive: true,
    start: { id, name: 'Triage', prompt: 'Answer in <result>.', output: { mode: 'tag', tag: 'result' } },
  });
  expect(await readKeptRun(folder, id)).toBeUndefined();
  writeFileSync(join(cwd, '../go'), '');
  const { branch, text } = await running;
  expect(await readKeptRun(folder, id)).toMatchObject({ id, code: 'ok', name: 'Triage' });
  expect(await readOpenRun(folder, id)).toBeUndefined();
  const events = await eventsOf(folder, id);
  // The text is in as many lines as there were writes.
  const types = events.map((event) => event.split(' ')[0]);
  const order = types.filter((type, index) => type !== types[index - 1]);
  expect(order.join(' ')).toBe('start sandbox iteration text attempt end');
  expect(events[0]).toBe(`start ${branch} scripted in no-sandbox`);
  const written = events.filter((event) => event.startsWith('text ')).map((event) => event.slice(5));
  expect(written.join('')).toBe(text.replace(SECRET, '*'.repeat(SECRET.length)));
});

it('says that a run whose process was killed was interrupted', async () => {
  const cwd = makeRepository();
  const script = join(temporaryFolder(), 'script');
  // The agent outlives its host, and ends with the test.
  writeFileSync(script, `echo words; while [ -e ${script} ]; do sleep 0.05; done`);
  const host = await bundledHost(new URL('running-host.ts', import.meta.url));
  const killed = execa(process.execPath, [host, cwd, script, 'none', 'head'], { reject: false });
  const folder = stateFolderOf(cwd);
  const idNow = async (): Promise<string> => (await listKeptRunIds(folder))[0] ?? '';
  await expect
    .poll(async () => (await eventsOf(folder, await idNow())).at(-1), { timeout: 20_000 })
    .toBe('text words\n');
  expect(await readOpenRun(folder, await idNow())).toMatchObject({ isLive: true });
  killed.kill('SIGKILL');
  await killed;
  rmSync(script);
  expect(await readOpenRun(folder, await idNow())).toMatchObject({ isLive: false });
});

it('keeps as many runs as the caller wants, live ones always, and with 0 nothing', async () => {
  const cwd = makeRepository();
  const folder = stateFolderOf(cwd);
  const going = idOf(1);
  const started = { ...record(going), process: thisProcess() };
  new RunJournal(going).open(folder, started);
  mkdirSync(join(folder, 'runs', idOf(2)));
  writeFileSync(
    join(folder, 'runs', idOf(2), 'start.json'),
    JSON.stringify({ ...started, id: idOf(2), process: { ...thisProcess(), processStartTime: '1' } }),
  );
  expect((await readOpenRun(folder, idOf(2)))?.isLive).toBe(false);
  await run(runOptions('true', { cwd, logging: { keepRuns: 1 } }));
  const ids = await listKeptRunIds(folder);
  expect([ids.length, ids.includes(going), ids.includes(idOf(2))]).toEqual([2, true, false]);
  await run(runOptions('true', { cwd, logging: { keepRuns: 0 } }));
  expect(await listKeptRunIds(folder)).toEqual(ids);
  await expect(run(runOptions('true', { cwd, logging: { keepRuns: -1 } }))).rejects.toThrow(
    'Expected `logging.keepRuns` to be a non-negative integer, got `-1` (number).',
  );
});

it('ends a journal at its limit, and one that cannot be written, without an error', async () => {
  const folder = join(temporaryFolder(), 'state');
  const timestamp = new Date(0);
  const journal = new RunJournal(idOf(1));
  journal.open(folder, { ...record(idOf(1)), process: thisProcess() });
  journal.write({ type: 'tool-call', name: 'Bash', input: { command: 'ls' }, timestamp, iteration: 1 });
  journal.write({ type: 'end', text: '\ud83d'.repeat(40_000), timestamp, iteration: 1 });
  journal.end(1, 'It failed.');
  const lines = await eventsOf(folder, idOf(1), 100);
  expect(lines.map((line) => line.slice(0, 14))).toEqual([
    'tool_call Bash',
    ...Array.from({ length: 3 }, () => 'text \ud83d'.padEnd(14, '\ud83d')),
    'end It failed.',
  ]);
  const full = new RunJournal(idOf(2));
  full.open(folder, { ...record(idOf(2)), process: thisProcess() });
  full.write({ type: 'text', text: 'x'.repeat(5 * 1024 * 1024), timestamp, iteration: 1 });
  full.end(1, undefined);
  expect(await eventsOf(folder, idOf(2))).toEqual(['cut']);
  full.leave();
  expect(await readOpenRun(folder, idOf(2))).toBeUndefined();
  const second = new RunJournal(idOf(1));
  second.open(folder, { ...record(idOf(1)), process: thisProcess() });
  second.write({ type: 'warning', message: 'w', timestamp, iteration: 1 });
  second.end(1, undefined);
  second.leave();
  expect(await eventsOf(folder, idOf(1), 100)).toEqual(lines);
});

it('keeps a failed run with its error, and none whose log is on stdout', async () => {
  const cwd = makeRepository();
  const failing = runOptions('echo words; exit 3', { cwd });
  await expect(run(failing)).rejects.toThrow('exited with code 3');
  const folder = stateFolderOf(cwd);
  const [id = ''] = await listKeptRunIds(folder);
  expect(await readKeptRun(folder, id)).toMatchObject({ code: 'exit', attempts: [], commits: [] });
  expect(await readTranscript(folder, id)).toBe('words\n');
  const hidden = makeRepository();
  await run(runOptions('true', { cwd: hidden, logging: { type: 'stdout' } }));
  expect(existsSync(join(stateFolderOf(hidden), 'runs'))).toBe(false);
  expect(await listKeptRunIds(stateFolderOf(hidden))).toEqual([]);
});

const record = (id: string): Parameters<typeof writeKeptRun>[1]['run'] => ({
  version: 1,
  id,
  agent: 'a',
  sandbox: 'none',
  prompt: '',
  startedAt: '2026-11-23T12:00:00.000Z',
  durationMs: 1,
  code: 'done',
  attempts: [],
  commits: [],
  warnings: [],
  transcript: { chars: 0, omittedChars: 0 },
});
const idOf = (count: number): string => keptRunId(new Date(count * 1_000), '0123abcd');

it('keeps the newest runs', async () => {
  const folder = join(temporaryFolder(), 'state');
  mkdirSync(join(folder, 'runs', 'not a run'), { recursive: true });
  for (let count = 0; count < MAX_KEPT_RUNS; count += 1) mkdirSync(join(folder, 'runs', idOf(count)));
  await writeKeptRun(folder, { run: record(idOf(MAX_KEPT_RUNS)), transcript: '' });
  const ids = await listKeptRunIds(folder);
  expect([ids.length, ids[0], ids.at(-1)]).toEqual([MAX_KEPT_RUNS, idOf(MAX_KEPT_RUNS), idOf(1)]);
  expect(readdirSync(join(folder, 'runs'))).toContain('not a run');
});

it('reads no link, no folder, no large or invalid file, and no other path', async () => {
  const folder = join(temporaryFolder(), 'state');
  const outside = join(temporaryFolder(), 'outside');
  const [id, other] = [idOf(1), idOf(2)];
  await writeKeptRun(folder, { run: record(id), transcript: 'text' });
  expect(await readKeptRun(folder, id)).toMatchObject({ id });
  const place = (name: string): string => join(folder, 'runs', id, name);
  const text = readFileSync(place('run.json'), 'utf8');
  writeFileSync(outside, text);
  const contents = [
    '',
    '[]',
    text.replace(id, other),
    text.replace('"version":1', '"version":2'),
    text.replace('"attempts":[]', '"attempts":[{"code":"ok","message":"","span":{"start":2,"end":1}}]'),
    text + ' '.repeat(2 * 1024 * 1024),
  ];
  for (const content of contents) {
    writeFileSync(place('run.json'), content);
    expect(await readKeptRun(folder, id)).toBeUndefined();
  }
  for (const name of ['run.json', 'transcript.txt']) {
    rmSync(place(name));
    symlinkSync(outside, place(name));
  }
  expect(await readKeptRun(folder, id)).toBeUndefined();
  expect(await readTranscript(folder, id)).toBeUndefined();
  rmSync(place('run.json'));
  mkdirSync(place('run.json'));
  expect(await readKeptRun(folder, id)).toBeUndefined();
  expect(await readKeptRun(folder, `../runs/${id}`)).toBeUndefined();
  const nothing = { events: [], end: 0, hasMore: false };
  symlinkSync(outside, place('start.json'));
  symlinkSync(outside, place('events.jsonl'));
  expect(await readOpenRun(folder, id)).toBeUndefined();
  expect(await readRunJournal(folder, id, { after: 0, limit: 9 })).toMatchObject(nothing);
  expect(await readRunJournal(folder, `../runs/${id}`, { after: 0, limit: 9 })).toMatchObject(nothing);
  rmSync(place('events.jsonl'));
  const event = '{"type":"text","at":"2026-11-24T00:00:00.000Z","iteration":1,"text":"é"}';
  writeFileSync(place('events.jsonl'), `[]\n{"type":"x"}\n${event}\n${event}`);
  const page = await readRunJournal(folder, id, { after: 0, limit: 9 });
  expect([page.events.length, page.end]).toEqual([1, 17 + Buffer.byteLength(event)]);
  expect(await readRunJournal(folder, id, { after: page.end, limit: 9 })).toMatchObject({ events: [] });
  expect(await readRunJournal(folder, id, { after: 1e9, limit: 9 })).toMatchObject({ events: [] });
  truncateSync(place('events.jsonl'), 600_000);
  expect(await readRunJournal(folder, id, { after: 300_000, limit: 9 })).toMatchObject({
    events: [],
    end: 300_000 + 256 * 1024,
    hasMore: true,
  });
  rmSync(join(folder, 'runs'), { recursive: true });
  symlinkSync(temporaryFolder(), join(folder, 'runs'));
  expect(await listKeptRunIds(folder)).toEqual([]);
});
