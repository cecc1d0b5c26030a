/** Agent runs of the client: requests, results, errors, and streams that are lost. */
import { Output } from '@truecast/core/internal/output/output';
import { RunEndedError } from '@truecast/core/internal/errors/run-ended-error';
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { OnRetry } from '../calls/patience.ts';
import { createClient, type Client } from '../create-client.ts';
import type { BatchView } from '../wire/runs/agent-batch.ts';
import type { AgentRunDetailView, AgentRunReceipt } from '../wire/runs/agent-run.ts';
import { openClientBatch } from './client-batch.ts';

const AT = '2026-01-01T00:00:00.000Z';
const VIEW: AgentRunDetailView = {
  id: 'r1',
  status: 'queued',
  repository: 'web',
  agent: 'codex',
  branch: 'truecast/runs/r1',
  priority: 0,
  executions: 0,
  prompt_preview: 'Fix it.',
  version: 1,
  created_at: AT,
  prompt: 'Fix it.',
  limits: {},
  execution_history: [],
  artifacts: [],
};
const RECEIPT: AgentRunReceipt = {
  run_id: 'r1',
  status: 'succeeded',
  attempts: [],
  agent: 'codex',
  repository: 'web',
  branch: 'truecast/runs/r1',
  commits: ['c1'],
  pushed: false,
  executions: 1,
  warnings: [],
  created_at: AT,
  ended_at: AT,
};
const output = Output.object({ schema: z.object({ n: z.number() }), maxCorrections: 1 });
const BATCH: BatchView = {
  id: 'b1',
  name: 'bugs',
  status: 'open',
  items: 0,
  succeeded: 0,
  failed: 0,
  canceled: 0,
  spent: { tokens: 0, usd: 0 },
  created_at: AT,
};
const BATCH_REQUEST = { name: 'bugs', repository: 'web', agent: 'codex' };
const asked = { repository: 'web', agent: 'codex', prompt: 'Fix it.' };

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly key: string | null;
}

/** A client of a server that gives these answers. An error is a connection that is refused. */
function answering(...answers: readonly (object | Response)[]): {
  readonly client: Client;
  readonly sent: Sent[];
} {
  const sent: Sent[] = [];
  const fetch = ((url: string, { method = '', body, headers }: RequestInit): Promise<Response> => {
    const answer = answers[sent.length] ?? {};
    sent.push({
      method,
      path: url.replace('http://127.0.0.1:1', ''),
      body: typeof body === 'string' ? (JSON.parse(body) as unknown) : undefined,
      key: new Headers(headers).get('idempotency-key'),
    });
    if (answer instanceof Error) return Promise.reject(answer);
    return Promise.resolve(answer instanceof Response ? answer : Response.json(answer));
  }) as typeof globalThis.fetch;
  return { client: createClient({ baseURL: 'http://127.0.0.1:1', token: 't', fetch, maxRetries: 0 }), sent };
}

it('a new run is sent in the words of the wire, with a key', async () => {
  const { client, sent } = answering(VIEW);
  const run = await client.runs.create({
    ...asked,
    output,
    model: 'm',
    ref: 'main',
    branch: 'fix/1',
    push: 'on_success',
    limits: { tokens: 5 },
    onWorkerLoss: 'restart',
    metadata: { issue: '1' },
    priority: 2,
    startAfter: new Date(AT),
    expiresAfterSeconds: 60,
  });
  expect(run.id).toBe('r1');
  expect(sent).toEqual([
    {
      method: 'POST',
      path: '/api/runs',
      key: expect.stringMatching(/^[\da-f]{32}$/u) as string,
      body: {
        ...asked,
        model: 'm',
        ref: 'main',
        branch: 'fix/1',
        push: 'on_success',
        limits: { tokens: 5 },
        on_worker_loss: 'restart',
        metadata: { issue: '1' },
        priority: 2,
        start_after: AT,
        expires_after_seconds: 60,
        max_corrections: 1,
        response_format: expect.objectContaining({ type: 'json_schema' }) as object,
      },
    },
  ]);
});

it('a read-only run is sent in the words of the wire', async () => {
  const { client, sent } = answering(VIEW);
  await client.runs.create({ ...asked, readOnly: true });
  expect(sent).toMatchObject([{ body: { ...asked, read_only: true } }]);
  expect(sent[0]?.body).not.toHaveProperty('readOnly');
});

it('a text in a tag is sent without a format, and is the result', async () => {
  const { client, sent } = answering(VIEW, { ...VIEW, receipt: { ...RECEIPT, text: 'Done.' } });
  const run = await client.runs.create({ ...asked, output: Output.string({ tag: 'answer' }) });
  expect(sent[0]?.body).toEqual({ ...asked, tag: 'answer' });
  await expect(run.result()).resolves.toMatchObject({ output: 'Done.', commits: ['c1'] });
});

it('a request that no server would accept is refused before anything is sent', async () => {
  const { client, sent } = answering();
  const refused = client.runs.create({ ...asked, output: Output.json({ mode: 'tool' }) });
  await expect(refused).rejects.toThrow("Expected `mode` of an agent's answer to be `native` or `mcp`");
  await expect(client.runs.create({ ...asked, schema: {} } as never)).rejects.toThrow('`runs.create()`');
  const dated = client.runs.create({ ...asked, startAfter: new Date('soon') });
  await expect(dated).rejects.toThrow('Expected `startAfter` to be a valid `Date`');
  expect(sent).toEqual([]);
});

it('a result is waited for, and has the type of its definition', async () => {
  const value = { value: { value: 'b' }, value_text: '{"value":"b"}' };
  const { client, sent } = answering(VIEW, VIEW, { ...VIEW, receipt: { ...RECEIPT, ...value } });
  const result = await client.runs.run({ ...asked, output: Output.choice({ options: ['a', 'b'] }) });
  expect(result).toEqual({
    output: 'b',
    commits: ['c1'],
    branch: 'truecast/runs/r1',
    receipt: { ...RECEIPT, ...value },
  });
  expect(sent.map(({ path }) => path)).toEqual(['/api/runs', '/api/runs/r1?wait=25', '/api/runs/r1?wait=25']);
});

it('a value that the definition refuses is an error', async () => {
  const value = { value: { n: 'x' }, value_text: '{"n":"x"}' };
  const { client } = answering({ ...VIEW, receipt: { ...RECEIPT, ...value } });
  const refused = client.runs.get('r1', { output }).result();
  await expect(refused).rejects.toMatchObject({ name: 'StructuredOutputError', code: 'schema-mismatch' });
});

it('a value without a definition is the value itself, unless it would be rounded', async () => {
  const valueOf = (value: JsonValue, text: string) => ({
    ...VIEW,
    receipt: { ...RECEIPT, value, value_text: text },
  });
  const rounded = valueOf({ n: 2 ** 53 }, '{"n":9007199254740993}');
  const { client } = answering(valueOf(null, 'null'), rounded, rounded);
  const run = client.runs.get('r1');
  await expect(run.result()).resolves.toMatchObject({ output: null });
  await expect(run.result()).rejects.toMatchObject({ code: 'schema-mismatch' });
  await expect(run.result({ acceptsRounding: true })).resolves.toMatchObject({ output: { n: 2 ** 53 } });
});

it('an answer that is no object is the answer itself, also without its definition', async () => {
  const receipt = { ...RECEIPT, value: { value: ['a'] }, value_text: '{"value":["a"]}' };
  const { client, sent } = answering(VIEW, { ...VIEW, is_wrapped: true, receipt }, { ...VIEW, receipt });
  await client.runs.create({ ...asked, output: Output.array({ element: z.string() }) });
  expect(sent[0]?.body).toMatchObject({ is_wrapped: true });
  await expect(client.runs.get('r1').result()).resolves.toMatchObject({ output: ['a'] });
  // An object can have a member of this name.
  await expect(client.runs.get('r1').result()).resolves.toMatchObject({ output: { value: ['a'] } });
});

it('a result is waited for while the server restarts, and a server that never answered is an error', async () => {
  const down = new TypeError('fetch failed');
  const restarting = new Response('{}', { status: 503 });
  const ended = { ...VIEW, receipt: { ...RECEIPT, text: 'Done.' } };
  const { client, sent } = answering(VIEW, down, restarting, ended, VIEW, down, ended, down);
  await expect(client.runs.run(asked)).resolves.toMatchObject({ output: 'Done.' });
  await expect(client.runs.get('r1').result()).resolves.toMatchObject({ output: 'Done.' });
  await expect(client.runs.get('r1').result()).rejects.toMatchObject({ code: 'unreachable' });
  expect(sent.map(({ path }) => path)).toEqual([
    '/api/runs',
    ...Array<string>(3).fill('/api/runs/r1?wait=25'),
    '/api/runs/r1',
    ...Array<string>(2).fill('/api/runs/r1?wait=25'),
    '/api/runs/r1',
  ]);
});

/** A client of a server that gives one answer to each request. A minute passes for each. */
function repeating(answer: () => Response): { readonly client: Client; readonly sent: string[] } {
  const sent: string[] = [];
  const fetch = ((url: string): Promise<Response> => {
    sent.push(url);
    return Promise.resolve(answer());
  }) as typeof globalThis.fetch;
  return { client: createClient({ baseURL: 'http://127.0.0.1:1', token: 't', fetch, maxRetries: 0 }), sent };
}

describe('a server that fails each time', () => {
  const PROBLEM = {
    type: 'about:blank',
    title: 'Failed',
    status: 500,
    detail: 'The server failed.',
    code: 'internal',
  };
  const failing = (): Response => Response.json(PROBLEM, { status: 500 });
  const settled = async <T>(waiting: Promise<T>): Promise<unknown> => {
    const ended = waiting.catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(20 * 60_000);
    return ended;
  };
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('ends the wait for a result with its error, after a number of tries that are told', async () => {
    const { client, sent } = repeating(() => (sent.length === 1 ? Response.json(VIEW) : failing()));
    const told: string[] = [];
    const onRetry: OnRetry = ({ message }, failures) => told.push(`${failures} ${message}`);
    const error = await settled(client.runs.get('r1').result({ onRetry }));
    expect(error).toMatchObject({ code: 'refused', statusCode: 500, message: 'The server failed.' });
    expect(told).toEqual(Array.from({ length: 59 }, (_each, index) => `${index + 1} The server failed.`));
    expect(sent).toHaveLength(1 + 60);
  });

  it('ends the events, also if it drops each connection before its first byte', async () => {
    const dropped = (): Response =>
      new Response(
        new ReadableStream({ pull: (controller) => controller.error(new TypeError('terminated')) }),
      );
    for (const [answer, code] of [
      [failing, 'refused'],
      [dropped, 'unreachable'],
    ] as const) {
      const { client, sent } = repeating(answer);
      const told: number[] = [];
      const onRetry: OnRetry = (_error, failures) => told.push(failures);
      const next = client.runs.get('r1').events({ onRetry }).next();
      expect(await settled(next)).toMatchObject({ code });
      expect([sent.length, told.length]).toEqual([60, 59]);
    }
  });

  it('ends a batch, and one whose owner has too many queued runs waits', async () => {
    const connection = { baseURL: 'http://127.0.0.1:1', token: 't', maxRetries: 0 };
    let answer = (): Response => Response.json(BATCH);
    const sent: string[] = [];
    const fetch = ((url: string) => {
      sent.push(url);
      return Promise.resolve(answer());
    }) as typeof globalThis.fetch;
    const told: number[] = [];
    const onRetry: OnRetry = (_error, failures) => told.push(failures);
    const batch = await openClientBatch({ ...connection, fetch }, { ...BATCH_REQUEST }, { onRetry });
    answer = () => Response.json({ ...PROBLEM, status: 429 }, { status: 429 });
    const adding = batch.add([{ key: 'a', prompt: 'A' }]);
    await vi.advanceTimersByTimeAsync(20 * 60_000);
    expect(sent.length).toBeGreaterThan(60);
    expect(told).toEqual([]);
    answer = failing;
    expect(await settled(adding)).toMatchObject({ statusCode: 500 });
    expect(told).toHaveLength(59);
  });
});

/** A page of results after which the items of a batch wait for its budget, and the last page. */
function budgetPages(): () => unknown {
  const ended = { key: 'a', receipt: { ...RECEIPT, status: 'succeeded' } };
  const pages: unknown[] = [
    { results: [ended], next: '2', waits_for: 'budget' },
    { results: [{ ...ended, key: 'b' }] },
  ];
  return () => pages.shift();
}

it.each([
  [{ tokens: 9 }, 'tokens', '9 tokens'],
  [{ usd: 0.5 }, 'money', '0.5 US dollars'],
  [{ tokens: 10, usd: 0.5 }, 'money', '0.5 US dollars'],
])(
  'the results of a batch that spent %o end with an error that says how to continue',
  async (budget, code, bound) => {
    const sent: unknown[] = [];
    const page = budgetPages();
    const fetch = ((url: string, { body }: RequestInit) => {
      if (typeof body === 'string') sent.push(JSON.parse(body));
      const view = { ...BATCH, budget, spent: { tokens: 9, usd: 0.5 } };
      return Promise.resolve(Response.json(url.includes('/results') ? page() : view));
    }) as typeof globalThis.fetch;
    const batch = await openClientBatch(
      { baseURL: 'http://127.0.0.1:1', token: 't', maxRetries: 0, fetch },
      { ...BATCH_REQUEST, budget },
    );
    const message = `has used its budget of ${bound}. Its results are kept, and its other items wait.`;
    const results = batch.results();
    // What the items before it have cost is not lost.
    expect((await results.next()).value).toMatchObject({ key: 'a' });
    await expect(results.next()).rejects.toMatchObject({
      name: 'LimitError',
      code,
      message: expect.stringContaining(message),
    });
    expect(sent).toEqual([{ ...BATCH_REQUEST, budget }]);
  },
);

it('the results of a batch continue if its budget was raised since they were read', async () => {
  const page = budgetPages();
  const fetch = ((url: string) => {
    const view = { ...BATCH, budget: { tokens: 10, usd: 1 }, spent: { tokens: 9, usd: 0.5 } };
    return Promise.resolve(Response.json(url.includes('/results') ? page() : view));
  }) as typeof globalThis.fetch;
  const connection = { baseURL: 'http://127.0.0.1:1', token: 't', maxRetries: 0, fetch };
  const batch = await openClientBatch(connection, { ...BATCH_REQUEST });
  const keys: string[] = [];
  for await (const { key } of batch.results()) keys.push(key);
  expect(keys).toEqual(['a', 'b']);
});

it('a run that failed rejects with its receipt', async () => {
  const error = { code: 'agent_failed', reason: 'idle_timeout', message: 'The agent failed.' } as const;
  const receipt: AgentRunReceipt = { ...RECEIPT, status: 'failed', error };
  const { client } = answering({ ...VIEW, receipt });
  const failed = await client.runs
    .get('r1')
    .result()
    .catch((failure: unknown) => failure);
  expect(RunEndedError.isInstance(failed)).toBe(true);
  expect(failed).toMatchObject({
    code: 'agent-failed',
    reason: 'idle_timeout',
    message: 'The agent failed.',
    runId: 'r1',
    receipt,
  });
});

it('each event arrives once, although the connection is lost, and the last one ends the stream', async () => {
  const events = [
    { type: 'status', status: 'running', phase: 'working', at: AT },
    { type: 'newer', at: AT },
    { type: 'text', text: 'Hi', at: AT },
    { type: 'receipt', receipt: RECEIPT, at: AT },
    { type: 'text', text: 'after the end', at: AT },
  ].map((event, index) => `id: ${index + 1}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  const { client, sent } = answering(
    new Response(events.slice(0, 3).join('')),
    new Response(events.slice(3).join('')),
  );
  const received: (readonly [string | undefined, string])[] = [];
  for await (const { id, event } of client.runs.get('r1').events()) received.push([id, event.type]);
  expect(received).toEqual([
    ['1', 'status'],
    ['3', 'text'],
    ['4', 'receipt'],
  ]);
  expect(sent.map(({ path }) => path)).toEqual(['/api/runs/r1/stream', '/api/runs/r1/stream?after=3']);
});

it('a run is canceled, and a retry is another run', async () => {
  const { client, sent } = answering({ ...VIEW, status: 'canceled' }, { ...VIEW, id: 'r2' });
  const run = client.runs.get('r/1');
  await expect(run.cancel()).resolves.toMatchObject({ status: 'canceled' });
  await expect(run.retry({ idempotencyKey: 'k' })).resolves.toMatchObject({ id: 'r2' });
  expect(sent.map(({ method, path, key }) => [method, path, key])).toEqual([
    ['POST', '/api/runs/r%2F1/cancel', null],
    ['POST', '/api/runs/r%2F1/retry', 'k'],
  ]);
});

it('a run is continued with its form, or with another one', async () => {
  const next = { ...VIEW, id: 'r2' };
  const done = { ...VIEW, receipt: { ...RECEIPT, value: { n: 2 }, value_text: '{"n":2}' } };
  const { client, sent } = answering(next, done, next, next);
  const run = client.runs.get('r1', { output });
  const same = await run.continue({ message: 'Again.' }, { idempotencyKey: 'k' });
  await expect(same.result()).resolves.toMatchObject({ output: { n: 2 } });
  await run.continue({ message: 'Say it.', output: Output.string({ tag: 'say' }), fork: true });
  await run.continue({ message: 'Other.', output });
  expect(sent[0]).toMatchObject({ path: '/api/runs/r1/continue', key: 'k', body: { message: 'Again.' } });
  expect(sent[1]?.path).toBe('/api/runs/r2?wait=25');
  expect(sent[2]?.body).toEqual({
    message: 'Say it.',
    fork: true,
    response_format: { type: 'text' },
    tag: 'say',
  });
  expect(sent[3]?.body).toMatchObject({ response_format: { type: 'json_schema' }, max_corrections: 1 });
  await expect(run.continue({ prompt: 'x' } as never)).rejects.toThrow('`continue()`');
});

it('a change of a run has its members only', async () => {
  const { client, sent } = answering({ ...VIEW, priority: 3 });
  const run = client.runs.get('r1');
  await expect(run.patch({ priority: 3, metadata: {} })).resolves.toMatchObject({ priority: 3 });
  await expect(run.patch({ branch: 'x' } as never)).rejects.toThrow('`patch()`');
  expect(sent).toEqual([
    { method: 'PATCH', path: '/api/runs/r1', body: { priority: 3, metadata: {} }, key: null },
  ]);
});

it('deliveries of a webhook are listed and sent again, and the secret is read and replaced', async () => {
  const delivery = {
    id: 'msg_1',
    url: 'https://ci.example.com',
    status: 'failed',
    tries: 10,
    created_at: AT,
  };
  const { client, sent } = answering({ deliveries: [delivery] }, delivery, { secret: 'a' }, { secret: 'b' });
  const run = client.runs.get('r1');
  await expect(run.deliveries()).resolves.toEqual({ deliveries: [delivery] });
  await expect(run.redeliver('msg_1')).resolves.toEqual(delivery);
  await expect(client.runs.webhookSecret()).resolves.toEqual({ secret: 'a' });
  await expect(client.runs.rotateWebhookSecret()).resolves.toEqual({ secret: 'b' });
  expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /api/runs/r1/deliveries',
    'POST /api/runs/r1/deliveries/msg_1/redeliver',
    'GET /api/webhooks/secret',
    'POST /api/webhooks/secret/rotate',
  ]);
});

it('a list has its filters', async () => {
  const { client, sent } = answering({ runs: [VIEW], next: 'n' });
  await client.runs.list({ limit: 2, status: 'queued', repository: 'web', metadata: 'issue:4 2' });
  expect(sent[0]?.path).toBe('/api/runs?limit=2&status=queued&repository=web&metadata=issue%3A4%202');
});

it('many results are waited for with few open requests, so that other calls have a place', async () => {
  let waiting = 0;
  const ends: (() => void)[] = [];
  const fetch = (async (url: string) => {
    if (!url.includes('?wait=')) return Response.json(VIEW);
    waiting += 1;
    await new Promise<void>((resolve) => ends.push(resolve));
    waiting -= 1;
    return Response.json({ ...VIEW, receipt: { ...RECEIPT, text: 'Done.' } });
  }) as typeof globalThis.fetch;
  const client = createClient({ baseURL: 'http://127.0.0.1:1', token: 't', fetch, maxRetries: 0 });
  const results = Array.from({ length: 40 }, (_run, index) => client.runs.get(`r${index}`).result());
  await expect.poll(() => waiting).toBe(16);
  await expect(client.runs.create(asked)).resolves.toMatchObject({ id: 'r1' });
  for (let next = 0; next < 40; next += 1) {
    await expect.poll(() => ends.length).toBeGreaterThan(next);
    expect(waiting).toBeLessThanOrEqual(16);
    ends[next]?.();
  }
  expect((await Promise.all(results)).map(({ output: text }) => text)).toEqual(Array(40).fill('Done.'));
});

it('artifacts are listed and downloaded as bytes, and a deletion returns nothing', async () => {
  const artifacts = [{ name: 'log', media_type: 'text/plain', size: 4, omitted_bytes: 9 }];
  const bytes = new Uint8Array([0xe9, 0, 10]);
  const problem = { type: 'about:blank', title: 'T', status: 404, code: 'not_found', detail: 'No artifact.' };
  const { client, sent } = answering(
    { artifacts },
    new Response(bytes, { headers: { 'content-type': 'text/x-diff' } }),
    new Response(null, { status: 204 }),
    Response.json(problem, { status: 404 }),
  );
  const run = client.runs.get('r/1');
  expect(await run.artifacts()).toEqual({ artifacts });
  const patch = await run.artifact('changes.patch');
  expect([patch.type, patch.size]).toEqual(['text/x-diff', 3]);
  expect(new Uint8Array(await patch.arrayBuffer())).toEqual(bytes);
  expect(await run.delete()).toBeUndefined();
  await expect(run.artifact('session')).rejects.toMatchObject({ code: 'refused', statusCode: 404 });
  expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /api/runs/r%2F1/artifacts',
    'GET /api/runs/r%2F1/artifacts/changes.patch',
    'DELETE /api/runs/r%2F1',
    'GET /api/runs/r%2F1/artifacts/session',
  ]);
});
