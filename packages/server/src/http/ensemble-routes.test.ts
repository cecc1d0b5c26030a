/** Tests of the routes of ensemble runs, on both stores. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { EnsembleRunPageView, LedgerEventPageView } from '@truecast/client/internal/wire/ensemble';
import { describeOnBothStores } from '../../../../test/describe-on-both-stores.ts';
import { issueToken } from './access-token.ts';
import { startServer, type TestServer } from './test-server.ts';

describeOnBothStores('the ledger over HTTP', ({ freshUrl }) => {
  let server: TestServer;
  let token: string;
  beforeAll(async () => {
    server = await startServer({ url: await freshUrl() });
    ({ token } = await issueToken(server.store, { name: 'project', scopes: ['project'] }));
    const start = { scenario: 'boat', seed: 's', goal: 'g', cast: { ada: { role: 'judge', model: 'tiny' } } };
    for (const run of ['one', 'two']) {
      await append(run, 'run.started', start);
      await append(run, 'agent.spoke', { text: `${run} speaks` });
    }
    await append('two', 'run.finished', { reason: 'verdict', winner: 'ada' });
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
    await server.store.db
      .insertInto('events')
      .values({ ...row, ...rest, payload: JSON.stringify(payload) })
      .execute();
  };
  const read = async <T>(path: string): Promise<T> =>
    JSON.parse((await server.ask('GET', `/api/ensembles/runs${path}`, { token })).text) as T;

  it('lists runs, the newest first, with their cast and their end', async () => {
    const first = await read<EnsembleRunPageView>('?limit=1');
    const cast = [{ name: 'ada', role: 'judge', model: 'tiny' }];
    expect(first.runs).toMatchObject([{ run_id: 'two', cast, reason: 'verdict', winner: 'ada' }]);
    const second = await read<EnsembleRunPageView>(`?limit=1&after=${first.next}`);
    expect(second.runs.map(({ run_id }) => run_id)).toEqual(['one']);
    expect(second.runs[0]).not.toHaveProperty('ended_at');
    expect(second.next).toBeUndefined();
  });

  it('pages through the events of one run', async () => {
    const first = await read<LedgerEventPageView>('/two/events?limit=2');
    expect(first.events.map(({ kind }) => kind)).toEqual(['run.started', 'agent.spoke']);
    expect(first.events[1]?.payload).toEqual({ text: 'two speaks' });
    const second = await read<LedgerEventPageView>(`/two/events?after=${first.next}`);
    expect([second.events.map(({ kind }) => kind), second.next]).toEqual([['run.finished'], undefined]);
  });

  it('has no unknown run, and needs the scope', async () => {
    const missing = await server.ask('GET', '/api/ensembles/runs/three/events', { token });
    expect([missing.status, missing.json.code]).toEqual([404, 'not_found']);
    expect((await server.ask('GET', '/api/ensembles/runs')).status).toBe(404);
  });
});
