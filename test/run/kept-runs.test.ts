/** Tests of kept runs: what is shown later of a run, down to the characters of its answer. */
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { stateFolderOf } from '../../packages/host/src/state-folder.ts';
import { keptRunId, MAX_KEPT_RUNS } from '../../packages/truecast/src/run/record/kept-run.ts';
import {
  listKeptRunIds,
  readKeptRun,
  readTranscript,
} from '../../packages/truecast/src/run/record/read-kept-runs.ts';
import { writeKeptRun } from '../../packages/truecast/src/run/record/write-kept-run.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { step } from '../../packages/truecast/src/testing/scripted-agent/agent-step.ts';
import { scriptedAgent } from '../../packages/truecast/src/testing/scripted-agent/scripted-agent.ts';
import { commitLine, makeRepository, runOptions, temporaryFolder } from './fixture.ts';

const SECRET = 'geheimes-Wort-🔑-7';
const output = Output.object({
  tag: 'result',
  schema: z.object({ area: z.string(), severity: z.enum(['high', 'low']) }),
  maxRetries: 1,
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
    output: { route: 'tag', tag: 'result' },
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
  rmSync(join(folder, 'runs'), { recursive: true });
  symlinkSync(temporaryFolder(), join(folder, 'runs'));
  expect(await listKeptRunIds(folder)).toEqual([]);
});
