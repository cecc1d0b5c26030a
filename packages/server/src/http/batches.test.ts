/** Routes of batches over real HTTP, with a worker that the test plays. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { describeOnBothStores } from '../../../../test/describe-on-both-stores.ts';
import { createRunMachine, type RunMachine } from '../runs/state/run-machine.ts';
import { eraseRuns } from '../runs/state/owner-runs.ts';
import { OFFERS } from '../runs/state/test-runs.ts';
import { issueToken } from '../tokens/access-token.ts';
import { FORMAT, startServer, type TestServer } from './test-server.ts';

const REQUEST = { repository: 'web', agent: 'claude-code', response_format: FORMAT };
const anyJson = z.record(z.string(), z.any());
const WORKER = 'process b n 1 2 12345678-uuid';

describeOnBothStores('batches over HTTP', ({ freshUrl }) => {
  let server: TestServer;
  let machine: RunMachine;
  let token = '';

  beforeAll(async () => {
    server = await startServer({
      url: await freshUrl(),
      runOffers: OFFERS,
      limits: { requestsPerMinute: 100_000 },
    });
    machine = createRunMachine({ store: server.store });
    ({ token } = await issueToken(server.store, { name: 'runs', owner: 'anna', scopes: ['runs'] }));
  });
  afterAll(async () => {
    await server.close();
    expect(server.faults).toEqual([]);
  });

  async function ask(method: string, path: string, body?: object, as = token) {
    const { status, text } = await server.ask(method, `/api/batches${path}`, {
      token: as,
      ...(body !== undefined && { body }),
    });
    return { status, json: anyJson.parse(JSON.parse(text)) };
  }
  const add = (id: string, ...keys: readonly string[]) =>
    ask('POST', `/${id}/items`, { items: keys.map((key) => ({ key, prompt: `Look at ${key}.` })) });
  async function open(name: string): Promise<string> {
    const { status, json } = await ask('POST', '', { ...REQUEST, name });
    expect(status).toBe(200);
    return json['id'] as string;
  }
  /** Executes the next queued run. Returns the item's key. */
  async function end(valueText?: string): Promise<string> {
    await machine.beat(WORKER);
    const held = await machine.claimNext({ worker: WORKER, offers: OFFERS });
    const ending =
      valueText === undefined
        ? ({ status: 'failed', error: { code: 'agent_failed', message: 'It failed.' } } as const)
        : ({ status: 'succeeded', valueText } as const);
    await machine.endRun(held!.fence, ending);
    return held!.claimed.request.prompt.slice('Look at '.length, -1);
  }
  const keysOf = (json: Readonly<Record<string, unknown>>): readonly string[] =>
    (json['results'] as readonly { readonly key: string }[]).map(({ key }) => key);

  it('adds each item once, and lists the results in the order of their ends until the last', async () => {
    const id = await open('nightly');
    expect(await open('nightly')).toBe(id);
    expect((await add(id, 'a', 'b')).json).toEqual({ added: 2 });
    expect((await add(id, 'b', 'c', 'c')).json).toEqual({ added: 1 });

    const waiting = ask('GET', `/${id}/results?wait=20`);
    // The items of one upload have no order.
    const ended = [await end('{"n":1}')];
    const first = (await waiting).json;
    expect(first).toMatchObject({
      results: [{ key: ended[0], receipt: { status: 'succeeded', value: { n: 1 } } }],
      next: '1',
    });
    ended.push(await end(), await end('{"n":3}'));
    expect((await ask('GET', `/${id}`)).json).toMatchObject({
      status: 'open',
      items: 3,
      succeeded: 2,
      failed: 1,
      canceled: 0,
    });
    expect((await ask('POST', `/${id}/close`)).json).toMatchObject({ status: 'closed' });
    expect((await ask('POST', `/${id}/close`)).status).toBe(200);
    const one = (await ask('GET', `/${id}/results?after=1&limit=1`)).json;
    expect([keysOf(one), one['next']]).toEqual([[ended[1]], '2']);
    const rest = (await ask('GET', `/${id}/results?after=1`)).json;
    expect(keysOf(rest)).toEqual(ended.slice(1));
    expect(rest).not.toHaveProperty('next');
    expect((await ask('GET', `/${id}/results?after=3&wait=20`)).json).toEqual({ results: [] });

    // A second upload to a closed batch is accepted as long as it adds nothing.
    expect((await add(id, 'a', 'c')).json).toEqual({ added: 0 });
    expect((await add(id, 'd')).json).toMatchObject({ status: 409, code: 'not_allowed' });
    // Without a page that ends too early: the results wait for the close of the next upload.
    expect(await open('nightly')).toBe(id);
    expect((await ask('GET', `/${id}/results?after=3`)).json).toEqual({ results: [], next: '3' });
    expect((await add(id, 'a', 'd')).json).toEqual({ added: 1 });
    await end('{"n":4}');
    expect((await ask('POST', `/${id}/close`)).json).toMatchObject({ items: 4, status: 'closed' });
    expect(keysOf((await ask('GET', `/${id}/results?after=3`)).json)).toEqual(['d']);
  });

  it('ends the wait for results while the items wait for a higher budget', async () => {
    const budget = { tokens: 1 };
    const { json } = await ask('POST', '', { ...REQUEST, name: 'bounded', budget });
    expect(json).toMatchObject({ budget, spent: { tokens: 0, usd: 0 } });
    const id = json['id'] as string;
    await add(id, 'a', 'b');
    await ask('POST', `/${id}/close`);
    await machine.beat(WORKER);
    const held = await machine.claimNext({ worker: WORKER, offers: OFFERS });
    const usage = {
      input_tokens: 1,
      output_tokens: 0,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      cost_usd: 0.5,
    };
    await machine.note(held!.fence, { note: { usage } });
    // An item is running, so a result can arrive.
    expect((await ask('GET', `/${id}/results`)).json).toEqual({ results: [], next: '0' });
    await machine.endRun(held!.fence, {
      status: 'failed',
      error: { code: 'agent_failed', message: 'It failed.' },
    });
    expect((await ask('GET', `/${id}/results?after=1`)).json).toEqual({
      results: [],
      next: '1',
      waits_for: 'budget',
    });
    const wait = { owner: 'anna', batchId: id, after: 1, limit: 1, waitMs: 600_000 };
    expect(await machine.waitForResults(wait)).toMatchObject({ results: [], waitsForBudget: true });
    const raised = await ask('POST', '', { ...REQUEST, name: 'bounded', budget: { tokens: 2 } });
    expect(raised.json).toMatchObject({ id, budget: { tokens: 2 }, spent: { tokens: 1, usd: 0.5 } });
    expect((await ask('GET', `/${id}/results?after=1`)).json).toEqual({ results: [], next: '1' });
    await end();
    expect((await ask('GET', `/${id}`)).json).toMatchObject({ failed: 2 });
    expect((await ask('POST', '', { ...REQUEST, name: 'x', budget: { usd: 0 } })).status).toBe(400);
  });

  it('refuses a name with another request, and what its runs would refuse', async () => {
    await open('taken');
    const other = await ask('POST', '', { ...REQUEST, name: 'taken', model: 'other' });
    expect(other.json).toMatchObject({ code: 'idempotency_mismatch' });
    const unknown = await ask('POST', '', { ...REQUEST, name: 'x', repository: 'other' });
    expect(unknown).toMatchObject({ status: 400, json: { problems: [{ field: 'repository' }] } });
    const prompt = await ask('POST', '', { ...REQUEST, name: 'x', prompt: 'One' });
    expect(prompt.status).toBe(400);
    const items = Array.from({ length: 1_001 }, (_none, key) => ({ key: String(key), prompt: 'x' }));
    expect((await ask('POST', `/${await open('many')}/items`, { items })).status).toBe(400);
  });

  it('cancels the runs of a canceled batch, also those that a process left', async () => {
    const id = await open('stopped');
    await add(id, 'a', 'b', 'c');
    await machine.beat(WORKER);
    const held = await machine.claimNext({ worker: WORKER, offers: OFFERS });
    expect((await ask('POST', `/${id}/cancel`)).json).toMatchObject({ status: 'canceled', canceled: 2 });
    await machine.endRun(held!.fence, { status: 'succeeded', text: 'Late.' });
    const { json } = await ask('GET', `/${id}/results`);
    const results = json['results'] as readonly {
      readonly receipt: { readonly error: { readonly code: string } };
    }[];
    const codes = results.map(({ receipt }) => receipt.error.code);
    expect(codes.toSorted()).toEqual(['batch_canceled', 'batch_canceled', 'canceled']);
    expect(await open('stopped')).toBe(id);
    expect((await add(id, 'd')).json['detail']).toMatch(
      /^The batch is canceled\. Create one with another `name`/u,
    );

    const left = await open('left');
    await add(left, 'a');
    await server.store.db
      .updateTable('agent_batches')
      .set({ closed_at: 1, canceled_at: 1 })
      .where('id', '=', left)
      .execute();
    await machine.cancelBatchRuns();
    expect((await ask('GET', `/${left}`)).json).toMatchObject({ status: 'canceled', canceled: 1 });
  });

  it('belongs to its owner, and is erased with the runs', async () => {
    const id = await open('private');
    await add(id, 'a');
    const ben = await issueToken(server.store, { name: 'runs', owner: 'ben', scopes: ['runs'] });
    for (const [method, path] of [
      ['GET', `/${id}`],
      ['GET', `/${id}/results`],
      ['POST', `/${id}/close`],
      ['POST', `/${id}/cancel`],
    ] as const) {
      expect((await ask(method, path, undefined, ben.token)).status).toBe(404);
    }
    expect(
      (await ask('POST', `/${id}/items`, { items: [{ key: 'x', prompt: 'x' }] }, ben.token)).status,
    ).toBe(404);
    await eraseRuns(server.store, 'anna');
    expect((await ask('GET', `/${id}`)).status).toBe(404);
  });
});
