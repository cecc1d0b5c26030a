/** Copies of durable runs in the list of kept runs, over real HTTP. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { KeptRunView, RunPageView } from '@truecast/client/internal/wire/kept-run';
import { describeOnBothStores } from '../../../../test/describe-on-both-stores.ts';
import type { RunArchive } from '../contract/run-archive.ts';
import type { TokenScope } from '../contract/access-tokens.ts';
import { createRunMachine } from '../runs/state/run-machine.ts';
import { OFFERS, runRequest } from '../runs/state/test-runs.ts';
import { issueToken } from '../tokens/access-token.ts';
import { startServer, type TestServer } from './test-server.ts';

const kept = (number: number, runId?: string): KeptRunView => ({
  id: `kept-${number}`,
  status: 'done',
  code: 'done',
  agent: 'codex',
  sandbox: 'none',
  attempts: [],
  commits: [],
  started_at: '2026-01-01T00:00:00.000Z',
  duration_ms: 1,
  prompt_preview: 'x',
  ...(runId !== undefined && { run_id: runId }),
});

describeOnBothStores('a copy of a durable run', ({ freshUrl }) => {
  let server: TestServer;
  let keptRuns: readonly KeptRunView[] = [];

  beforeAll(async () => {
    const list: RunArchive['list'] = () => Promise.resolve({ runs: keptRuns, next: 'n' });
    // Only the list is read.
    const runs = { list } as RunArchive;
    server = await startServer({ url: await freshUrl(), runOffers: OFFERS, runs });
  });
  afterAll(async () => {
    await server.close();
    expect(server.faults).toEqual([]);
  });

  it('names its run only to the owner, and only if the owner lists that run too', async () => {
    const machine = createRunMachine({ store: server.store });
    const { id } = await machine.createRun({ owner: 'anna', request: runRequest() });
    keptRuns = [kept(1, id), kept(2, 'job-1'), kept(3)];
    const namedTo = async (owner: string, scopes: readonly TokenScope[]): Promise<readonly unknown[]> => {
      const { token } = await issueToken(server.store, { name: 'kept', owner, scopes });
      const { text } = await server.ask('GET', '/api/kept_runs', { token });
      const { runs, next } = JSON.parse(text) as RunPageView;
      expect(next).toBe('n');
      return runs.map((run) => run.run_id);
    };
    const none = [undefined, undefined, undefined];
    expect(await namedTo('anna', ['project', 'runs'])).toEqual([id, undefined, undefined]);
    expect(await namedTo('anna', ['project'])).toEqual(none);
    expect(await namedTo('ben', ['project', 'runs'])).toEqual(none);
  });
});
