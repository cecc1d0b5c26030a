/** Tests of the routes of ensemble runs, on both stores. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type {
  EnsembleRunPageView,
  LedgerEventPageView,
  ScenarioListView,
} from '@truecast/client/internal/wire/ensemble';
import { describeOnBothStores } from '../../../../test/describe-on-both-stores.ts';
import { EVENTS_CHANNEL } from '@truecast/store/internal/watch-events';
import { issueToken } from '../tokens/access-token.ts';
import { startServer, type TestServer } from './test-server.ts';

describeOnBothStores('the ledger over HTTP', ({ freshUrl }) => {
  let server: TestServer;
  let token: string;
  beforeAll(async () => {
    server = await startServer({ url: await freshUrl() });
    ({ token } = await issueToken(server.store, { name: 'project', scopes: ['project'] }));
    const start = {
      scenario: 'boat',
      seed: 's',
      goal: 'g',
      cast: { ada: { role: 'judge', model: 'tiny' } },
      competition: { kind: 'judged' },
    };
    for (const run of ['one', 'two']) {
      await append(run, 'run.started', start);
      await append(run, 'agent.spoke', { text: `${run} speaks` });
    }
    const end = { reason: 'verdict', winner: 'ada', winners: ['ada'], winning_models: ['tiny', 4] };
    await append('two', 'run.finished', end);
  });
  afterAll(() => server.close());

  let count = 0;
  const append = async (runId: string, kind: string, payload: object): Promise<void> => {
    count += 1;
    const row = { id: `e${count}`, run_id: runId, turn: 0, kind, actor: 'ada', schema_version: 1 };
    const rest = {
      caused_by: null,
      model: null,
      provenance: null,
      created_at: new Date(count).toISOString(),
    };
    await server.store.transaction(async (tx) => {
      const values = { ...row, ...rest, payload: JSON.stringify(payload) };
      await tx.db.insertInto('events').values(values).execute();
      await tx.notify(EVENTS_CHANNEL, runId);
    });
  };
  const read = async <T>(path: string): Promise<T> =>
    JSON.parse((await server.ask('GET', `/api/ensembles/runs${path}`, { token })).text) as T;

  it('lists runs, the newest first, with their cast and their end', async () => {
    const first = await read<EnsembleRunPageView>('?limit=1');
    const cast = [{ name: 'ada', role: 'judge', model: 'tiny' }];
    const end = { reason: 'verdict', winner: 'ada', winners: ['ada'], winning_models: ['tiny'] };
    expect(first.runs).toMatchObject([{ run_id: 'two', cast, competition: 'judged', ...end }]);
    const second = await read<EnsembleRunPageView>(`?limit=1&after=${first.next}`);
    expect(second.runs.map(({ run_id }) => run_id)).toEqual(['one']);
    expect(second.runs[0]).not.toHaveProperty('ended_at');
    expect(second.runs[0]).not.toHaveProperty('winners');
    expect(second.next).toBeUndefined();
  });

  it('pages through the events of one run', async () => {
    const first = await read<LedgerEventPageView>('/two/events?limit=2');
    expect(first.events.map(({ kind }) => kind)).toEqual(['run.started', 'agent.spoke']);
    expect(first.events[1]?.payload).toEqual({ text: 'two speaks' });
    const second = await read<LedgerEventPageView>(`/two/events?after=${first.next}`);
    expect([second.events.map(({ kind }) => kind), second.next]).toEqual([['run.finished'], undefined]);
  });

  it('waits for the next event of an open run', async () => {
    const now = await read<LedgerEventPageView>('/one/events?wait=25');
    const after = now.events.at(-1)?.offset;
    expect(now.events).toHaveLength(2);
    const waiting = read<LedgerEventPageView>(`/one/events?after=${after}&wait=25`);
    await append('three', 'run.started', {});
    await append('one', 'agent.spoke', { text: 'and goes on' });
    expect((await waiting).events.map(({ payload }) => payload)).toEqual([{ text: 'and goes on' }]);
    const last = (await waiting).events.at(-1)?.offset;
    const empty = await read<LedgerEventPageView>(`/one/events?after=${last}&wait=1`);
    expect([empty.events, empty.next, empty.run.ended_at]).toEqual([[], undefined, undefined]);
  });

  it('does not wait for a run that has ended, and not long for any', async () => {
    const whole = await read<LedgerEventPageView>('/two/events');
    const after = whole.events.at(-1)?.offset;
    const rest = await read<LedgerEventPageView>(`/two/events?after=${after}&wait=25`);
    expect([rest.events, rest.run.reason]).toEqual([[], 'verdict']);
    const tooLong = await server.ask('GET', '/api/ensembles/runs/two/events?wait=26', { token });
    expect([tooLong.status, tooLong.json.code]).toEqual([400, 'invalid_parameter']);
  });

  it('stores a message to an open run beside its events, and refuses one to a run that has ended', async () => {
    const say = (run: string, body: object) =>
      server.ask('POST', `/api/ensembles/runs/${run}/say`, { token, body });
    const before = await read<LedgerEventPageView>('/one/events');
    expect((await say('one', { text: 'The light goes out.' })).status).toBe(201);
    const left = await server.store.db
      .selectFrom('events')
      .select(['run_id', 'payload'])
      .where('kind', '=', 'user.injected')
      .execute();
    expect(left).toEqual([{ run_id: 'one/inbox', payload: '{"text":"The light goes out."}' }]);
    expect((await read<LedgerEventPageView>('/one/events')).events).toEqual(before.events);
    const runs = (await read<EnsembleRunPageView>('')).runs.map(({ run_id }) => run_id);
    expect(runs).not.toContain('one/inbox');
    const codes = [
      await say('two', { text: 'Late.' }),
      await say('none', { text: 'Who?' }),
      await say('one', { text: '' }),
    ];
    expect(codes.map(({ json }) => json.code as unknown)).toEqual([
      'not_allowed',
      'not_found',
      'invalid_body',
    ]);
  });

  it('has no unknown run, and needs the scope', async () => {
    const missing = await server.ask('GET', '/api/ensembles/runs/none/events', { token });
    expect([missing.status, missing.json.code]).toEqual([404, 'not_found']);
    expect((await server.ask('GET', '/api/ensembles/runs')).status).toBe(404);
  });
});

it('lists scenarios of its port at each call, none without a port, and needs the scope', async () => {
  const problem = { file: 'ensembles/agents/ivo.yaml', line: 3, column: 1, message: 'No.', hint: 'Yes.' };
  const boat = { name: 'boat', title: 'Boat', goal: 'g', default_seed: 's', competition: 'none' };
  const listed: ScenarioListView[] = [
    { folder: 'ensembles', scenarios: [{ ...boat, cast: [{ name: 'ivo' }] }], problems: [problem] },
    { scenarios: [], problems: [] },
  ];
  const rest = [...listed];
  const scenarios = { list: () => Promise.resolve(rest.shift() ?? { scenarios: [], problems: [] }) };
  const server = await startServer({ scenarios });
  const bare = await startServer();
  const project = { name: 'project', scopes: ['project'] } as const;
  const { token } = await issueToken(server.store, project);
  const { token: bareToken } = await issueToken(bare.store, project);
  for (const each of listed) {
    expect((await server.ask('GET', '/api/scenarios', { token })).json).toEqual(each);
  }
  expect((await bare.ask('GET', '/api/scenarios', { token: bareToken })).json).toEqual(listed[1]);
  expect((await server.ask('GET', '/api/scenarios')).status).toBe(404);
  await bare.close();
  await server.close();
});
