/** Tests of the route of a run's changes, with a real repository and its state folder. */
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ChangesView } from '@truecast/client/internal/wire/changes';
import { stateFolderOf } from '@truecast/host/internal/state-folder';
import { commit, newRepository, cleanUp } from 'truecast/internal/git/test-repository';
import { keptRunId } from 'truecast/internal/run/record/kept-run';
import type { KeptRun } from 'truecast/internal/run/record/kept-run-record';
import { writeKeptRun } from 'truecast/internal/run/record/write-kept-run';
import { issueToken } from '../../tokens/access-token.ts';
import { startServer, type TestServer } from '../../http/test-server.ts';
import { createRunMachine } from '../../runs/state/run-machine.ts';
import { OFFERS } from '../../runs/state/test-runs.ts';
import { lazyArchive, workReader } from './lazy-archive.ts';
import { readRunChanges } from './run-changes.ts';

const SECRET = 'not-for-a-page';
const MISSING = 'f'.repeat(40);

let server: TestServer;
let token: string;
let state: string;
let own: readonly string[];
let other: string;

const run = (count: number, commits: readonly string[]): KeptRun => ({
  version: 1,
  id: keptRunId(new Date(count * 1_000), '0123abcd'),
  agent: 'claude-code',
  sandbox: 'bubblewrap',
  prompt: 'Fix it.',
  startedAt: new Date(count * 1_000).toISOString(),
  durationMs: 1_000,
  code: 'done',
  attempts: [],
  commits,
  warnings: [],
  transcript: { chars: 0, omittedChars: 0 },
});

beforeAll(async () => {
  const folder = newRepository();
  const [one, two] = [commit(folder, 'c.txt', 'one\n'), commit(folder, 'c.txt', `two ${SECRET}\n`)];
  own = [one, two];
  other = commit(folder, 'b.txt', 'of another run\n');

  state = stateFolderOf(folder);
  const mask = (text: string): string => text.replaceAll(SECRET, '***');
  const folderOf = (name: string): string | undefined => (name === 'web' ? folder : undefined);
  server = await startServer({
    runs: lazyArchive(state, { folder, mask }),
    readRunWork: workReader({ folderOf, mask }),
  });
  ({ token } = await issueToken(server.store, { name: 'project', scopes: ['project'] }));
  for (const each of [run(1, [...own, MISSING]), run(2, []), run(3, [other])]) {
    await writeKeptRun(state, { run: each, transcript: '' });
  }
});
afterAll(async () => {
  await server.close();
  await rm(state, { recursive: true, force: true });
  cleanUp();
});

const ask = (count: number, query = ''): ReturnType<TestServer['ask']> =>
  server.ask('GET', `/api/kept_runs/${run(count, []).id}/changes${query}`, { token });
const changes = async (count: number, query = ''): Promise<ChangesView> =>
  JSON.parse((await ask(count, query)).text) as ChangesView;

it('returns what all commits of a run changed together, with secrets masked', async () => {
  const { commits, files, ...rest } = await changes(1);
  expect(commits.map(({ id, added, removed }) => [id, added, removed])).toEqual([
    [own[0], 1, 0],
    [own[1], 1, 1],
  ]);
  expect(rest).toEqual({ missing_commits: 1, omitted_files: 0 });
  expect(files).toEqual([
    {
      path: 'c.txt',
      change: 'added',
      new_bytes: 19,
      added: 1,
      removed: 0,
      hunks: [{ old_start: 0, new_start: 1, heading: '', lines: ['+two ***'] }],
      omitted_lines: 0,
    },
  ]);
});

it('returns one commit of the run, and no commit of another run', async () => {
  const { files } = await changes(1, `?commit=${own[1]}`);
  expect(files[0]?.hunks[0]?.lines).toEqual(['-one', '+two ***']);
  expect(await ask(1, `?commit=${other}`)).toMatchObject({ status: 404 });
  expect(await ask(1, '?commit=--output=x')).toMatchObject({ status: 404 });
  expect((await changes(1, `?commit=${MISSING}`)).files).toEqual([]);
});

it('returns nothing for a run without commits, and 404 without the run or the scope', async () => {
  expect(await changes(2)).toEqual({ commits: [], missing_commits: 0, files: [], omitted_files: 0 });
  expect(await ask(4)).toMatchObject({ status: 404 });
  const path = `/api/kept_runs/${run(1, []).id}/changes`;
  expect(await server.ask('GET', path, {})).toMatchObject({ status: 404 });
});

it('returns the work of a durable run that has ended, and counts what only another worker has', async () => {
  const { token: runs } = await issueToken(server.store, { name: 'runs', owner: 'anna', scopes: ['runs'] });
  const machine = createRunMachine({ store: server.store });
  const read = async (id: string, query = '') => {
    const { status, text } = await server.ask('GET', `/api/runs/${id}/changes${query}`, { token: runs });
    return [status, JSON.parse(text) as ChangesView] as const;
  };
  const ended = async (repository: string): Promise<string> => {
    const body = { repository, agent: 'claude-code', prompt: 'Fix it.' };
    const { id } = await machine.createRun({ owner: 'anna', request: body });
    expect((await read(id))[1]).toMatchObject({ commits: [], missing_commits: 0 });
    const offers = { ...OFFERS, repositories: [repository] };
    const held = await machine.claimNext({ worker: 'process b n 1 2 12345678-uuid', offers });
    await machine.endRun(held!.fence, { status: 'succeeded', text: 'Done.', commits: [...own, MISSING] });
    return id;
  };
  const here = await ended('web');
  const [status, { commits, files, missing_commits: missing }] = await read(here);
  expect([status, commits.map(({ id }) => id), missing]).toEqual([200, own, 1]);
  expect(files[0]?.hunks[0]?.lines).toEqual(['+two ***']);
  expect((await read(here, `?commit=${own[1]}`))[1].files[0]?.hunks[0]?.lines).toEqual(['-one', '+two ***']);
  expect((await read(here, `?commit=${other}`))[0]).toBe(404);
  const elsewhere = await ended('elsewhere');
  expect((await read(elsewhere))[1]).toEqual({
    commits: [],
    missing_commits: 3,
    files: [],
    omitted_files: 0,
  });
});

it('counts the commits of a run in a folder that is no repository as missing', async () => {
  const source = { folder: tmpdir(), mask: (text: string) => text };
  const none = { commit: undefined, signal: new AbortController().signal };
  expect(await readRunChanges(source, [MISSING], none)).toMatchObject({ commits: [], missing_commits: 1 });
});
