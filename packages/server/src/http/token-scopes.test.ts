/** Scopes, expiry and the clocks of access tokens, and readiness without a token. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { describeOnBothStores } from '../../../../test/describe-on-both-stores.ts';
import { TOKEN_SCOPES, type TokenScope } from '../contract/access-tokens.ts';
import { issueToken } from '../tokens/access-token.ts';
import { ROUTES } from './routes/all-routes.ts';
import { FORMAT, settleTurn, startServer, type TestServer } from './test-server.ts';

const HOUR_MS = 3_600_000;

describeOnBothStores('access tokens', ({ freshUrl }) => {
  const startedMs = Date.now();
  let server: TestServer;
  beforeAll(async () => {
    // Called before the server starts, so that it uses this clock.
    vi.useFakeTimers({ toFake: ['Date'], shouldAdvanceTime: true });
    server = await startServer({ url: await freshUrl(), limits: { requestsPerMinute: 60 } });
  });
  afterEach(() => {
    vi.setSystemTime(startedMs);
  });
  afterAll(async () => {
    await server.close();
    vi.useRealTimers();
  });

  const statusOf = async (path: string, token: string): Promise<number> =>
    (await server.ask('GET', path, { token })).status;

  it.each<[TokenScope, string]>([
    ['chats', '/api/chats'],
    ['chats', '/api/models'],
    ['metrics', '/metrics'],
  ])('the scope `%s` opens %s, and every other scope does not', async (scope, path) => {
    for (const each of TOKEN_SCOPES) {
      const { token } = await issueToken(server.store, { name: each, scopes: [each] });
      expect([each, await statusOf(path, token)]).toEqual([each, each === scope ? 200 : 404]);
    }
  });

  it('names the scope that is missing, and how to get it', async () => {
    const { token } = await issueToken(server.store, { name: 'chats only' });
    const { json } = await server.ask('GET', '/metrics', { token });
    expect(json.detail).toContain('`truecast token create --scope metrics`');
  });

  it.each([
    { scopes: [] },
    // A JavaScript program can pass any name.
    { scopes: ['root' as TokenScope] },
    { expiresInMs: 0 },
    { expiresInMs: Number.NaN },
    { expiresInMs: Infinity },
  ])('refuses to issue a token with %o', async (options) => {
    await expect(issueToken(server.store, { name: 'x', ...options })).rejects.toSatisfy(
      UsageError.isInstance,
    );
  });

  it('refuses an expired token, and reports when it expired', async () => {
    const { token, expiresAt } = await issueToken(server.store, { name: 'short', expiresInMs: HOUR_MS });
    expect(await statusOf('/api/models', token)).toBe(200);
    vi.setSystemTime(expiresAt ?? 0);
    const { status, json } = await server.ask('GET', '/api/models', { token });
    expect([status, json.code]).toEqual([401, 'unauthorized']);
    expect(json.detail).toContain(new Date(expiresAt ?? 0).toISOString());
  });

  it('a wall clock that steps back locks no token out, and makes no duration negative', async () => {
    const { token } = await issueToken(server.store, { name: 'clock' });
    expect(await statusOf('/api/models', token)).toBe(200);
    const { json } = await server.ask('POST', '/api/chats', {
      body: { content: 'x', response_format: FORMAT },
      token,
    });
    vi.setSystemTime(Date.now() - 2 * HOUR_MS);
    expect(await statusOf('/api/models', token)).toBe(200);
    await settleTurn(server.machine, json.chat.id, 'x', '{"n":1}');
    const path = `/api/chats/${json.chat.id}/requests/${json.request_id}`;
    const receipt = await server.ask('GET', path, { token });
    expect(receipt.json).toMatchObject({ status: 'succeeded' });
    expect(receipt.json).not.toHaveProperty('duration_ms');
  });

  it('a wall clock that steps forward does not refill a bucket', async () => {
    const { token } = await issueToken(server.store, { name: 'burst' });
    const ask = (): Promise<number> => statusOf('/api/models', token);
    let count = 0;
    while ((await ask()) === 200) count += 1;
    expect(count).toBeGreaterThanOrEqual(60);
    vi.setSystemTime(Date.now() + HOUR_MS);
    expect(await Promise.all(Array.from({ length: 10 }, ask))).toContain(429);
  });

  it('many callers of /readyz without a token cause one write', async () => {
    const written = async (): Promise<unknown> =>
      server.store.db.selectFrom('readiness_probes').select('written_at').execute();
    const ask = () => server.ask('GET', '/readyz', { token: null });
    // Callers share a write for a second, and on a busy machine the requests alone can take that
    // long. Uses whole milliseconds, because a sum of fractions can be rounded down to less than a
    // second.
    const nowMs = Math.ceil(performance.now());
    const clock = vi.spyOn(performance, 'now').mockReturnValue(nowMs);
    onTestFinished(() => clock.mockRestore());
    const answers = await Promise.all(Array.from({ length: 20 }, ask));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set(['200 {"status":"ready","unavailable_models":0}']),
    );
    const first = await written();
    await ask();
    expect(await written()).toEqual(first);
    clock.mockReturnValue(nowMs + 1_000);
    vi.setSystemTime(Date.now() + 1_000);
    await ask();
    expect(await written()).not.toEqual(first);
  });
});

/** The scope of each route that is not for chats. A new route of the project belongs in this list. */
const OTHER_SCOPES: Readonly<Record<string, TokenScope | 'any'>> = {
  'post /api/session_codes': 'any',
  'get /api/scenarios': 'project',
  'get /api/me': 'any',
  'post /api/session': 'any',
  'delete /api/session': 'any',
  'get /api/usage/:owner': 'admin',
  'post /api/models': 'admin',
  'delete /api/models/:model': 'admin',
  'get /api/tokens': 'admin',
  'post /api/tokens': 'admin',
  'delete /api/tokens/:tid': 'admin',
  'get /api/ensembles/runs': 'project',
  'get /api/ensembles/runs/:run/events': 'project',
  'post /api/ensembles/runs/:run/say': 'project',
  'post /api/runs': 'runs',
  'get /api/runs': 'runs',
  'get /api/runs/:run': 'runs',
  'post /api/runs/:run/cancel': 'runs',
  'patch /api/runs/:run': 'runs',
  'post /api/runs/:run/retry': 'runs',
  'post /api/runs/:run/continue': 'runs',
  'get /api/repositories': 'runs',
  'get /api/workers': 'runs',
  'delete /api/runs/:run': 'runs',
  'get /api/runs/:run/artifacts': 'runs',
  'get /api/runs/:run/artifacts/:artifact': 'runs',
  'get /api/runs/:run/changes': 'runs',
  'get /api/runs/:run/deliveries': 'runs',
  'post /api/runs/:run/deliveries/:delivery/redeliver': 'runs',
  'get /api/webhooks/secret': 'runs',
  'post /api/webhooks/secret/rotate': 'runs',
  'get /api/runs/:run/stream': 'runs',
  'post /api/batches': 'runs',
  'post /api/batches/:batch/items': 'runs',
  'post /api/batches/:batch/close': 'runs',
  'post /api/batches/:batch/cancel': 'runs',
  'get /api/batches/:batch': 'runs',
  'get /api/batches/:batch/results': 'runs',
  'get /api/kept_runs': 'project',
  'get /api/kept_runs/:run': 'project',
  'get /api/kept_runs/:run/changes': 'project',
  'get /api/kept_runs/:run/events': 'project',
  'get /api/kept_runs/:run/stream': 'project',
  'get /api/kept_runs/:run/transcript': 'project',
};

it('every route refuses each scope but its own, before it reads the request', async () => {
  const server = await startServer({ limits: { requestsPerMinute: 10_000 } });
  try {
    const tokens = await Promise.all(
      TOKEN_SCOPES.map(async (scope) => ({
        scope,
        ...(await issueToken(server.store, { name: scope, scopes: [scope] })),
      })),
    );
    for (const { method, path, scope: needed } of ROUTES) {
      // It accepts no token.
      if (needed === 'share') continue;
      // No route accepts these, so that no stream is opened and nothing is created.
      const place = `${path.replaceAll(/:\w+/gu, 'x')}?after=!`;
      const body = method === 'get' ? {} : { raw: '{', headers: { 'content-type': 'application/json' } };
      const opened: TokenScope[] = [];
      for (const { token, scope } of tokens) {
        const { text } = await server.ask(method.toUpperCase(), place, { token, ...body });
        if (!text.includes('needs a token with the scope')) opened.push(scope);
      }
      const scope = OTHER_SCOPES[`${method} ${path}`] ?? 'chats';
      expect([method, path, opened]).toEqual([method, path, scope === 'any' ? TOKEN_SCOPES : [scope]]);
    }
  } finally {
    await server.close();
  }
});

it('/readyz says 503 while another process holds the write lock, although reads succeed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'truecast-ready-'));
  const url = join(folder, 'a.sqlite');
  const server = await startServer({ url });
  const other = new DatabaseSync(url);
  try {
    other.exec('begin immediate');
    expect((await server.ask('GET', '/api/chats')).status).toBe(200);
    const answers = await Promise.all([1, 2].map(() => server.ask('GET', '/readyz', { token: null })));
    for (const { status, json } of answers) expect([status, json.code]).toEqual([503, 'unavailable']);
    other.exec('rollback');
    await expect
      .poll(async () => (await server.ask('GET', '/readyz', { token: null })).status, { timeout: 10_000 })
      .toBe(200);
  } finally {
    other.close();
    await server.close();
    await rm(folder, { recursive: true });
  }
});
