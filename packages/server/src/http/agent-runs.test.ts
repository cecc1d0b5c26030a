/** Routes of durable runs over real HTTP, with a worker that the test plays. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { describeOnBothStores } from '../../../../test/describe-on-both-stores.ts';
import { agentRunEvent } from '@truecast/client/internal/wire/runs/agent-run-event';
import { toZod } from '../contract/to-zod.ts';
import { createRunMachine, type RunMachine } from '../runs/state/run-machine.ts';
import type { HeldRun } from '../runs/state/run-work.ts';
import { OFFERS } from '../runs/state/test-runs.ts';
import { issueToken } from '../tokens/access-token.ts';
import { readEventsAt } from './stream/test-stream.ts';
import { FORMAT, startServer, type TestRequest, type TestServer } from './test-server.ts';

const BODY = { repository: 'web', agent: 'claude-code', prompt: 'Fix it.' };
const anyJson = z.record(z.string(), z.any());

describeOnBothStores('runs over HTTP', ({ freshUrl }) => {
  let server: TestServer;
  let machine: RunMachine;
  let token = '';
  let foreign = '';

  beforeAll(async () => {
    server = await startServer({
      url: await freshUrl(),
      runOffers: OFFERS,
      limits: { requestsPerMinute: 100_000 },
    });
    machine = createRunMachine({ store: server.store });
    ({ token } = await issueToken(server.store, { name: 'runs', owner: 'anna', scopes: ['runs'] }));
    ({ token: foreign } = await issueToken(server.store, { name: 'runs', owner: 'ben', scopes: ['runs'] }));
  });
  afterAll(async () => {
    await server.close();
    expect(server.faults).toEqual([]);
  });

  async function ask(method: string, path: string, options: TestRequest = {}) {
    const { status, text, headers } = await server.ask(method, `/api/runs${path}`, { token, ...options });
    return { status, headers, text, json: anyJson.parse(JSON.parse(text)) };
  }
  const create = async (rest: object = {}): Promise<string> => {
    const { status, json } = await ask('POST', '', { body: { ...BODY, ...rest } });
    expect(status).toBe(201);
    return json['id'] as string;
  };
  const CLAIM = { worker: 'process b n 1 2 12345678-uuid', offers: OFFERS };
  // Each test has an empty queue.
  afterEach(async () => {
    const { json } = await ask('GET', '?status=queued');
    for (const { id } of json['runs'] as { id: string }[]) await ask('POST', `/${id}/cancel`);
  });
  /** Claims the one queued run. */
  async function claim(runId: string): Promise<HeldRun> {
    const held = await machine.claimNext(CLAIM);
    expect(held?.claimed.id).toBe(runId);
    return held!;
  }

  it('creates a run once for a key, and reads it to its receipt', async () => {
    const asked = {
      body: { ...BODY, response_format: FORMAT, is_wrapped: true, tag: 'answer', limits: { executions: 2 } },
      headers: { 'idempotency-key': 'k1' },
    };
    const [one, other] = await Promise.all([ask('POST', '', asked), ask('POST', '', asked)]);
    expect([one.status, one.text]).toEqual([other.status, other.text]);
    expect(one.json).toMatchObject({ status: 'queued', executions: 0, prompt_preview: 'Fix it.' });
    const id = one.json['id'] as string;
    expect(one.json['branch']).toBe(`truecast/runs/${id}`);
    expect((await ask('GET', '')).json['runs']).toHaveLength(1);

    const { fence, claimed } = await claim(id);
    expect(claimed.request).toMatchObject({ limits: { executions: 2 }, response_format: FORMAT });
    const reading = ask('GET', `/${id}?wait=20`);
    await machine.note(fence, { note: { phase: 'working', baseSha: 'b0' } });
    const running = await ask('GET', `/${id}`);
    expect(running.json).toMatchObject({ status: 'running', phase: 'working', worker: '12345678' });
    expect(running.json).not.toHaveProperty('receipt');
    await machine.endRun(fence, {
      status: 'succeeded',
      valueText: '{"n":1}',
      commits: ['c1'],
      headSha: 'c1',
      pushedSha: 'c1',
    });
    const { json } = await reading;
    expect(json).toMatchObject({
      status: 'succeeded',
      response_format: FORMAT,
      is_wrapped: true,
      tag: 'answer',
      execution_history: [{ number: 1, worker: '12345678', ending: 'ended' }],
      receipt: {
        status: 'succeeded',
        value: { n: 1 },
        value_text: '{"n":1}',
        base_sha: 'b0',
        commits: ['c1'],
        pushed: true,
      },
    });
    expect(json['receipt'].value_hash).toMatch(/^[\da-f]{64}$/u);
    expect(json['receipt'].schema_hash).toMatch(/^[\da-f]{64}$/u);
  });

  it('cancels a queued run at once and a running one later, and retries it as a new run', async () => {
    const queued = await create();
    expect((await ask('POST', `/${queued}/cancel`)).json).toMatchObject({
      status: 'canceled',
      code: 'canceled',
    });
    const again = await ask('POST', `/${queued}/cancel`);
    expect([again.status, again.json['code']]).toEqual([409, 'not_allowed']);
    expect(again.json['detail']).toMatch(/^A cancellation is not possible while the run is canceled: /u);
    expect((await ask('GET', `/${queued}`)).json['receipt']).toMatchObject({ executions: 0, commits: [] });

    const running = await create({ start_after: '2026-01-01T00:00:00Z' });
    const { fence } = await claim(running);
    expect((await ask('POST', `/${running}/cancel`)).json).toMatchObject({ status: 'canceling' });
    const early = await ask('POST', `/${running}/retry`);
    expect([early.status, early.json['code']]).toEqual([409, 'not_allowed']);
    await machine.leave(fence, { headSha: 'c2', pushedSha: 'c1' });
    expect((await ask('GET', `/${running}`)).json['receipt']).toMatchObject({
      head_sha: 'c2',
      pushed: false,
    });
    const retried = await ask('POST', `/${running}/retry`);
    expect([retried.status, retried.json]).toMatchObject([201, { parent_id: running, relation: 'retry' }]);
    expect(retried.json).not.toHaveProperty('start_after');
    const { json } = await ask('GET', `?parent_id=${running}`);
    expect((json['runs'] as { id: string }[]).map(({ id }) => id)).toEqual([retried.json['id']]);
    await ask('POST', `/${retried.json['id']}/cancel`);
  });

  it('pushes at most as often as the configuration allows', async () => {
    for (const push of ['on_success', 'never']) await ask('POST', `/${await create({ push })}/cancel`);
    const refused = await ask('POST', '', { body: { ...BODY, push: 'always' } });
    expect([refused.status, refused.json['code']]).toEqual([400, 'invalid_body']);
    expect(refused.json['detail']).toContain('Must be one of on_success, never.');
  });

  it('continues a run that has ended, once, on its branch and with its session', async () => {
    const first = await create({ response_format: FORMAT, metadata: { next: '1' }, branch: 'fix/42' });
    const held = await claim(first);
    const early = await ask('POST', `/${first}/continue`, { body: { message: 'Test it.' } });
    expect([early.status, early.json['code']]).toEqual([409, 'not_allowed']);
    expect(early.json['detail']).toMatch(/^A run that is running cannot be continued\. /u);
    await machine.note(held.fence, { note: { sessionId: 's1', headSha: 'c1' } });
    await machine.endRun(held.fence, { status: 'succeeded', valueText: '{"n":1}' });

    const asked = { body: { message: 'Test it.' }, headers: { 'idempotency-key': 'next' } };
    const [next, again] = await Promise.all([
      ask('POST', `/${first}/continue`, asked),
      ask('POST', `/${first}/continue`, asked),
    ]);
    expect([next.status, next.text]).toEqual([201, again.text]);
    const id = next.json['id'] as string;
    expect(next.json).toMatchObject({
      branch: 'fix/42',
      parent_id: first,
      relation: 'continue',
      prompt_preview: 'Test it.',
      metadata: { next: '1' },
    });
    const other = await ask('POST', `/${first}/continue`, { body: { message: 'Test it.' } });
    expect([other.status, other.json['code']]).toEqual([409, 'not_allowed']);
    expect(other.json['detail']).toContain(`The run ${id} already continues this one`);

    const fork = await ask('POST', `/${first}/continue`, { body: { message: 'Or so.', fork: true } });
    expect(fork.json).toMatchObject({ relation: 'fork', branch: `truecast/runs/${fork.json['id']}` });
    const both = [await machine.claimNext(CLAIM), await machine.claimNext(CLAIM)];
    const claimedOf = (runId: unknown) => both.find((each) => each?.claimed.id === runId)?.claimed;
    expect(claimedOf(id)).toMatchObject({
      continued: { prompt: 'Fix it.', sessionId: 's1' },
      request: { prompt: 'Test it.', response_format: FORMAT, branch: 'fix/42' },
    });
    expect(claimedOf(fork.json['id'])).toMatchObject({ request: { ref: 'c1' } });
    expect(claimedOf(fork.json['id'])?.request).not.toHaveProperty('branch');
    for (const each of both) await machine.endLost(each!.fence, { reason: 'no_tree' });
    const retried = await ask('POST', `/${id}/retry`);
    expect(retried.json).toMatchObject({ branch: 'fix/42', relation: 'retry' });
    expect((await claim(retried.json['id'] as string)).claimed.continued).toEqual({
      prompt: 'Fix it.',
      sessionId: 's1',
    });
  });

  it('continues a run with another form of answer, or with its own', async () => {
    const first = await create({ tag: 'say' });
    await machine.endRun((await claim(first)).fence, { status: 'succeeded', text: 'Done.' });
    const next = (body: object) =>
      ask('POST', `/${first}/continue`, { body: { message: 'Go on.', fork: true, ...body } });
    const requestOf = async (body: object) => {
      const { status, json } = await next(body);
      expect([status, json['problems']]).toEqual([201, undefined]);
      return (await claim(json['id'] as string)).claimed.request;
    };
    expect(await requestOf({})).toMatchObject({ prompt: 'Go on.', tag: 'say' });
    const typed = await requestOf({ response_format: FORMAT, mode: 'mcp' });
    expect(typed).toMatchObject({ response_format: FORMAT, mode: 'mcp' });
    expect(typed).not.toHaveProperty('tag');
    const refused = await next({ tag: 'other' });
    expect([refused.status, refused.json['field']]).toEqual([400, 'response_format']);
  });

  it('changes the priority and the metadata of a run, also for its retries', async () => {
    const [first, second] = [await create({ metadata: { a: '1' } }), await create()];
    const { status, json } = await ask('PATCH', `/${second}`, {
      body: { priority: 5, metadata: { b: '2' } },
    });
    expect([status, json]).toMatchObject([200, { priority: 5, metadata: { b: '2' } }]);
    const held = await claim(second);
    await machine.endLost(held.fence, { reason: 'no_tree' });
    const receipts = (await ask('GET', `/${second}`)).json['receipt'];
    const eventsOf = () => machine.listRunEvents({ runId: second, after: 0, limit: 100 });
    const events = await eventsOf();
    await ask('PATCH', `/${second}`, { body: { metadata: {} } });
    const after = (await ask('GET', `/${second}`)).json;
    expect(after['receipt']).toEqual(receipts);
    expect(await eventsOf()).toEqual(events);
    expect(after).not.toHaveProperty('metadata');
    expect((await ask('POST', `/${second}/retry`)).json).toMatchObject({ priority: 5 });
    const unknown = await ask('PATCH', `/${first}`, { body: { branch: 'x' } });
    expect([unknown.status, unknown.json['field']]).toEqual([400, 'branch']);
  });

  it('says why a queued run waits', async () => {
    const later = await create({ start_after: '2999-01-01T00:00:00Z' });
    expect((await ask('GET', `/${later}`)).json['waits_for']).toBe('start_after');
    const ready = await create();
    const waitsFor = async () => (await ask('GET', `/${ready}`)).json['waits_for'] as unknown;
    expect(await waitsFor()).toBe('no_worker');
    const worker = 'process b n 1 2 abcdefgh-uuid';
    await machine.beat(worker, { repositories: ['api'], agents: ['claude-code'], places: 1 });
    expect(await waitsFor()).toBe('no_worker');
    await machine.beat(worker, { repositories: ['web'], agents: ['claude-code'], places: 2 });
    expect(await waitsFor()).toBeUndefined();
    const { json } = await server.ask('GET', '/api/workers', { token });
    expect(json).toEqual({
      workers: [{ name: 'abcdefgh', repositories: ['web'], agents: ['claude-code'], places: 2 }],
    });
    const offered = await server.ask('GET', '/api/repositories', { token });
    expect(offered.json).toEqual({ repositories: [{ name: 'web', agents: ['claude-code'] }] });
    const limited = createRunMachine({ store: server.store, limits: { perOwner: 0 } });
    const waitOf = await limited.claimWaits();
    expect(waitOf(await limited.readRun({ owner: 'anna', runId: ready }))).toBe('owner_limit');
    await server.store.db.updateTable('run_workers').set({ heartbeat_at: 1 }).execute();
    expect(await waitsFor()).toBe('no_worker');
    for (const id of [later, ready]) await ask('POST', `/${id}/cancel`);
  });

  it('finds runs by a value of their metadata', async () => {
    const found = await create({ metadata: { issue: '42', team: 'a' } });
    const others = [await create({ metadata: { issue: '421' } }), await create()];
    const { json } = await ask('GET', '?metadata=issue:42');
    expect((json['runs'] as { id: string }[]).map(({ id }) => id)).toEqual([found]);
    expect(json['runs'][0].metadata).toEqual({ issue: '42', team: 'a' });
    expect((await ask('GET', '?metadata=issue')).json['code']).toBe('invalid_parameter');
    for (const id of [found, ...others]) await ask('POST', `/${id}/cancel`);
  });

  it('finds runs by a text of their prompt or branch, and lists what they gave', async () => {
    const valid = await create({ prompt: 'Find 100% of the bugs.', model: 'opus' });
    const { fence } = await claim(valid);
    await machine.endRun(fence, { status: 'succeeded', valueText: `{"t":"${'x'.repeat(200)}"}` });
    const failed = await create({ branch: 'fix/odd_100%' });
    const first_issue = { path: '/n', message: 'Expected integer', got: '"x"' };
    const error = { code: 'structured_output_not_produced', message: 'None.', attempt_count: 3 } as const;
    const { fence: other } = await claim(failed);
    await machine.endRun(other, { status: 'failed', error: { ...error, first_issue } });
    const rest = [await create({ prompt: 'Find 100 bugs.' })];
    const found = async (query: string): Promise<unknown> => (await ask('GET', query)).json['runs'];
    expect(await found('?q=100%25')).toMatchObject([
      { id: failed, error: { ...error, first_issue } },
      { id: valid, value_preview: `{"t":"${'x'.repeat(154)}` },
    ]);
    expect(await found('?q=100%25&model=opus')).toMatchObject([{ id: valid }]);
    for (const id of rest) await ask('POST', `/${id}/cancel`);
  });

  it('lists runs in pages, the newest first, by status', async () => {
    const ids = [await create(), await create(), await create()];
    const first = await ask('GET', '?status=queued&limit=2');
    const next = await ask('GET', `?status=queued&limit=2&after=${first.json['next']}`);
    const found = [...first.json['runs'], ...next.json['runs']].map(({ id }: { id: string }) => id);
    expect(new Set(found)).toEqual(new Set(ids));
    expect([found.length, next.json]).toMatchObject([3, { runs: [{}] }]);
    expect(next.json).not.toHaveProperty('next');
    for (const id of ids) await ask('POST', `/${id}/cancel`);
  });

  it.each([
    [{ repository: 'other' }, 'repository', 'Must be one of web.'],
    [{ agent: 'other' }, 'agent', 'Must be one of claude-code.'],
    [{ tag: 'result', mode: 'mcp' }, 'mode', 'Must have either `tag` or `mode`, and not both.'],
    [
      { read_only: true, branch: 'a' },
      'branch',
      'Must be absent with `read_only`, which throws all commits away.',
    ],
    [
      { read_only: true, push: 'never' },
      'push',
      'Must be absent with `read_only`, which throws all commits away.',
    ],
    [{ limits: { executions: 0 } }, 'limits', undefined],
    [{ limits: { usd: 0 } }, 'limits', 'Must be at least 0.000001.'],
    [{ limits: { text_only: 1 } }, 'limits', undefined],
    [{ start_after: 'tomorrow' }, 'start_after', undefined],
    [{ metadata: { 'a b': 'x' } }, 'metadata', undefined],
    [
      { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'nothing' } } } },
      'response_format.json_schema.schema',
      undefined,
    ],
    [{ sandbox: 'none' }, 'sandbox', undefined],
    [{ branch: 'a..b' }, 'branch', 'Must be a name that git accepts for a branch: it holds `..` or `@{`.'],
  ])('refuses %j', async (rest, field, detail) => {
    const { status, json } = await ask('POST', '', { body: { ...BODY, ...rest } });
    expect([status, json['code'], json['field']]).toEqual([400, 'invalid_body', field]);
    if (detail !== undefined) expect(json['problems'][0].detail).toBe(detail);
  });

  it('sends each event once and in order to every reader, from any event on', async () => {
    const id = await create();
    const read = (lastId?: string, until: (count: number) => boolean = () => false) =>
      readEventsAt(server, `/api/runs/${id}/stream`, toZod(agentRunEvent), {
        token,
        ...(lastId !== undefined && { lastId }),
        until: (_received, all) => until(all.length),
      });
    const whole = [read(), read()];
    const { fence } = await claim(id);
    for (let count = 0; count < 5; count += 1) {
      await machine.note(fence, { events: [{ type: 'text', text: `part ${count}` }] });
    }
    const cut = await read(undefined, (count) => count === 3);
    await machine.note(fence, { events: [{ type: 'warning', message: 'last' }] });
    await machine.endRun(fence, { status: 'succeeded', text: 'Done.' });
    const [first = [], second = []] = await Promise.all(whole);
    expect(first.map((each) => each.id)).toEqual(first.map((_each, index) => String(index + 1)));
    expect(second).toEqual(first);
    expect([...cut, ...(await read(cut.at(-1)?.id))]).toEqual(first);
    expect(first.at(-1)?.event).toMatchObject({ type: 'receipt', receipt: { run_id: id, text: 'Done.' } });
    expect(await read(String(first.length))).toEqual([]);
    const beyond = await ask('GET', `/${id}/stream?after=${first.length + 1}`);
    expect([beyond.status, beyond.json['code']]).toEqual([400, 'invalid_parameter']);
  });

  it('leaves out events that only a newer version can read', async () => {
    const id = await create();
    const { fence } = await claim(id);
    await machine.note(fence, { events: [{ type: 'warning', message: 'known' }] });
    const { db } = server.store;
    const data = JSON.stringify({ type: 'push', sha: 'c1', at: '2026-01-01T00:00:00.000Z' });
    await db
      .updateTable('agent_run_events')
      .set({ data })
      .where('run_id', '=', id)
      .where('seq', '=', 2)
      .execute();
    await machine.endRun(fence, { status: 'succeeded', text: 'Done.' });
    const events = await readEventsAt(server, `/api/runs/${id}/stream`, toZod(agentRunEvent), {
      token,
      until: () => false,
    });
    expect(events.map(({ event }) => event.type)).toEqual(['status', 'warning', 'status', 'receipt']);
  });

  it('reveals nothing of a run to another owner, and changes nothing for one', async () => {
    const id = await create({ prompt: 'private words' });
    const before = (await ask('GET', `/${id}`)).text;
    for (const [method, path] of [
      ['GET', `/${id}`],
      ['POST', `/${id}/cancel`],
      ['POST', `/${id}/retry`],
      ['POST', `/${id}/continue`],
      ['PATCH', `/${id}`],
      ['GET', `/${id}/stream`],
    ] as const) {
      const body = path.endsWith('continue') ? { message: 'x' } : {};
      const options = method === 'GET' ? {} : { body };
      const { status, json, text } = await ask(method, path, { token: foreign, ...options });
      expect([path, status, json['code']]).toEqual([path, 404, 'not_found']);
      expect(text).not.toContain('private');
    }
    expect((await ask('GET', '', { token: foreign })).json).toEqual({ runs: [] });
    expect((await ask('GET', `/${id}`)).text).toBe(before);
    await ask('POST', `/${id}/cancel`);
  });
});

it('refuses a branch outside of the prefix of the configuration, also in a retry', async () => {
  await using closing = new AsyncDisposableStack();
  const offers = { ...OFFERS, branchPrefix: 'agents/' };
  const server = await startServer({ runOffers: offers });
  closing.defer(() => server.close());
  const { token } = await issueToken(server.store, { name: 'runs', owner: 'anna', scopes: ['runs'] });
  const create = (body: object) => server.ask('POST', '/api/runs', { token, body: { ...BODY, ...body } });
  for (const body of [{}, { branch: 'agents/fix' }]) expect((await create(body)).status).toBe(201);
  const refused = await create({ branch: 'main' });
  expect(refused.status).toBe(400);
  expect(refused.text).toContain('`branch`: Must begin with `agents/`.');
  // It was created before the prefix was set.
  const machine = createRunMachine({ store: server.store });
  const { id: runId } = await machine.createRun({ owner: 'anna', request: { ...BODY, branch: 'main' } });
  await machine.requestCancel({ owner: 'anna', runId });
  expect((await server.ask('POST', `/api/runs/${runId}/retry`, { token })).status).toBe(400);
});

it('a server without repositories accepts no run, and says what to configure', async () => {
  await using closing = new AsyncDisposableStack();
  const server = await startServer();
  closing.defer(() => server.close());
  const { token } = await issueToken(server.store, { name: 'runs', scopes: ['runs'] });
  const { status, text } = await server.ask('POST', '/api/runs', { token, body: BODY });
  expect(status).toBe(404);
  expect(text).toContain('Add `repositories` and `runs` to its configuration.');
});
