/**
 * Access control: every operation of the OpenAPI document and of the OpenAI-compatible API has a
 * row in this table.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeOnBothStores } from '../../../../test/describe-on-both-stores.ts';
import { matrixRow } from '../../../../test/matrix.ts';
import { z } from 'zod';
import { MODELS } from '@truecast/model/internal/test-models';
import { reply } from '@truecast/testing/internal/scripted-model/turn/scripted-reply';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '@truecast/testing/internal/scripted-model/scripted-model-server';
import { compatibleModel } from '../models/resolve-model.ts';
import { revokeToken } from '../tokens/token-rows.ts';
import { issueToken } from '../tokens/access-token.ts';
import { openApiDocument } from './openapi-document.ts';
import { ROUTES } from './routes/all-routes.ts';
import { readOwnerStream } from './stream/test-stream.ts';
import { FORMAT, startServer, type TestAnswer, type TestServer } from './test-server.ts';

interface Access {
  /** Response status for another owner's token: that of its own answer, or 404. */
  readonly other: number;
  /** A valid body, so that only the token is wrong. */
  readonly body?: object;
  /** Works without a token. */
  readonly isOpen?: boolean;
  /** Accepts the key of a share link, and no token at all. */
  readonly isShared?: boolean;
}

const foreign = (body?: object): Access => ({ other: 404, ...(body !== undefined && { body }) });
const own = (other: number, body?: object): Access => ({ other, ...(body !== undefined && { body }) });

/** By method and path. An operation without a row fails. */
const ACCESS: Readonly<Record<string, Access>> = {
  'post /api/chats': own(201, { content: 'theirs' }),
  'get /api/chats': own(200),
  'get /api/chats/{id}': foreign(),
  'patch /api/chats/{id}': foreign({ title: 'stolen' }),
  'delete /api/chats/{id}': foreign(),
  'post /api/chats/{id}/messages': foreign({ content: 'stolen' }),
  'get /api/chats/{id}/messages': foreign(),
  'patch /api/chats/{id}/messages/{mid}': foreign({ content: 'stolen' }),
  'get /api/chats/{id}/queue': foreign(),
  'delete /api/chats/{id}/queue/{qid}': foreign(),
  'post /api/chats/{id}/queue/{qid}/promote': foreign(),
  'post /api/chats/{id}/interrupt': foreign(),
  'post /api/chats/{id}/tool_results': foreign({ results: [{ tool_call_id: 'a', output: 1 }] }),
  'post /api/chats/{id}/compact': foreign(),
  'get /api/chats/{id}/requests/{rid}': foreign(),
  'get /api/chats/{id}/stream': foreign(),
  'get /api/stream': own(200),
  'get /api/models': own(200),
  'post /api/models': own(404),
  'delete /api/models/{model}': own(404),
  'get /api/requests': own(200),
  'get /api/requests/{rid}': foreign(),
  'get /api/requests/{rid}/shares': foreign(),
  'post /api/requests/{rid}/shares': foreign({}),
  'delete /api/requests/{rid}/shares/{sid}': foreign(),
  'get /api/shared_receipt': { other: 404, isShared: true },
  'get /api/schemas': own(200),
  'get /api/schemas/{hash}': own(404),
  'get /api/quality': own(200),
  'post /api/runs': own(404, { repository: 'web', agent: 'echo', prompt: 'stolen' }),
  'get /api/runs': own(404),
  'get /api/runs/{run}': own(404),
  'post /api/runs/{run}/cancel': own(404),
  'patch /api/runs/{run}': own(404),
  'post /api/runs/{run}/retry': own(404),
  'get /api/runs/{run}/changes': own(404),
  'get /api/runs/{run}/deliveries': own(404),
  'post /api/runs/{run}/deliveries/{delivery}/redeliver': own(404),
  'get /api/webhooks/secret': own(404),
  'post /api/webhooks/secret/rotate': own(404),
  'get /api/repositories': own(404),
  'get /api/workers': own(404),
  'post /api/runs/{run}/continue': own(404, { message: 'stolen' }),
  'delete /api/runs/{run}': own(404),
  'get /api/runs/{run}/artifacts': own(404),
  'get /api/runs/{run}/artifacts/{artifact}': own(404),
  'get /api/runs/{run}/stream': own(404),
  'post /api/batches': own(404, { name: 'stolen', repository: 'web', agent: 'echo' }),
  'post /api/batches/{batch}/items': own(404, { items: [{ key: 'a', prompt: 'stolen' }] }),
  'post /api/batches/{batch}/close': own(404),
  'post /api/batches/{batch}/cancel': own(404),
  'get /api/batches/{batch}': own(404),
  'get /api/batches/{batch}/results': own(404),
  'get /api/kept_runs': own(404),
  'get /api/kept_runs/{run}': own(404),
  'get /api/kept_runs/{run}/changes': own(404),
  'get /api/kept_runs/{run}/events': own(404),
  'get /api/kept_runs/{run}/stream': own(404),
  'get /api/kept_runs/{run}/transcript': own(404),
  'get /api/ensembles/runs': own(404),
  'get /api/ensembles/runs/{run}/events': own(404),
  'post /api/ensembles/runs/{run}/say': own(404, { text: 'stolen' }),
  'get /api/scenarios': own(404),
  'get /api/me': own(200),
  'post /api/session': own(201, {}),
  'delete /api/session': own(204),
  'post /api/session_codes': own(201),
  'get /api/usage': own(200),
  'get /api/usage/{owner}': own(404),
  'get /api/tokens': own(404),
  'post /api/tokens': own(404, { name: 'stolen' }),
  'delete /api/tokens/{tid}': own(404),
  'post /api/response_formats/validate': own(200, { response_format: FORMAT }),
  'get /readyz': { other: 200, isOpen: true },
  'get /metrics': own(404),
  'get /healthz': { other: 200, isOpen: true },
  'post /v1/chat/completions': own(200, { model: 'test', messages: [{ role: 'user', content: 'Hi' }] }),
  'post /v1/responses': own(200, { model: 'test', input: 'Hi' }),
  'get /v1/models': own(200),
  'get /v1/models/{model}': own(200),
};

const documented = z
  .object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) })
  .parse(await openApiDocument(ROUTES));
const operations = Object.entries(documented.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method} ${path}`),
);

describeOnBothStores('access', ({ freshUrl, row }) => {
  const itInTurns = matrixRow(row, { rows: 2 });
  let upstream: ScriptedModelServer;
  let server: TestServer;
  let revoked = '';
  let ids: Readonly<Record<string, string>> = {};

  beforeAll(async () => {
    upstream = await scriptedModelServer({ script: [reply.text('Hi.'), reply.text('Hi.')] });
    const model = { id: 'test', ...compatibleModel(MODELS['openai compatible']!(upstream)) };
    server = await startServer({
      url: await freshUrl(),
      openAI: { models: { find: () => Promise.resolve(model), list: () => ['test'] } },
      limits: { requestsPerMinute: 100_000 },
    });
    const { json } = await server.ask('POST', '/api/chats', {
      body: { content: 'private words', title: 'private title', response_format: FORMAT },
    });
    ids = {
      id: json.chat.id,
      mid: '1',
      qid: '1',
      rid: json.request_id ?? '',
      tid: 'any',
      sid: 'any',
      hash: 'any',
      run: 'any',
      batch: 'any',
      delivery: 'any',
      artifact: 'log',
      owner: 'any',
      model: 'test',
    };
    await server.ask('POST', `/api/chats/${ids['id']}/messages`, { body: { content: 'private words' } });
    const issued = await issueToken(server.store, { name: 'gone' });
    await revokeToken(server.store, issued.id, Date.now());
    revoked = issued.token;
  });
  afterAll(async () => {
    await server.close();
    await upstream.close();
    expect(server.faults).toEqual([]);
  });

  function ask(operation: string, token: string | null): Promise<TestAnswer> {
    const [method = '', path = ''] = operation.split(' ');
    const address = path.replaceAll(/\{(\w+)\}/gu, (_match, name: string) => ids[name] ?? '');
    const { body } = ACCESS[operation] ?? {};
    return server.ask(method.toUpperCase(), address, { token, ...(body !== undefined && { body }) });
  }

  /** The stream of an owner does not end, so its first event counts as the answer. */
  async function readAs(token: string, operation: string): Promise<Pick<TestAnswer, 'status' | 'text'>> {
    if (operation !== 'get /api/stream') return ask(operation, token);
    const events = await readOwnerStream(server, { token, until: () => true });
    return { status: 200, text: JSON.stringify(events) };
  }

  it('the table has every operation, and nothing else', () => {
    expect(Object.keys(ACCESS).sort()).toEqual([...operations].sort());
  });

  describe.each(operations)('%s', (operation) => {
    const { other, isOpen = false, isShared = false } = ACCESS[operation] ?? { other: 0 };

    it('rejects a missing or revoked token', async () => {
      for (const token of [null, revoked]) {
        const { status, json, headers } = await ask(operation, token);
        expect(status).toBe(isOpen ? 200 : isShared ? 404 : 401);
        if (isOpen || isShared) continue;
        expect(JSON.stringify(json)).toMatch(
          token === null ? /Send `Authorization: Bearer/u : /The token is unknown or revoked\./u,
        );
        if (operation.includes(' /v1/')) {
          expect(json).toMatchObject({ error: { code: 'invalid_api_key', type: 'authentication_error' } });
        } else {
          expect(headers.get('content-type')).toBe('application/problem+json');
          expect(json.code).toBe('unauthorized');
        }
      }
    });

    it('reveals nothing to another owner', async () => {
      const { status, text } = await readAs(server.otherToken, operation);
      expect(status).toBe(other);
      expect(text).not.toContain('private');
      expect(text).not.toContain(ids['id']);
      expect(text).not.toContain(ids['rid']);
    });
  });

  it('leaves the owner’s data unchanged', async () => {
    const { json } = await server.ask('GET', `/api/chats/${ids['id']}`);
    expect(json).toMatchObject({ title: 'private title', status: 'running', queue_length: 1 });
  });

  const paths = new Set(operations.map((operation) => operation.split(' ')[1] ?? ''));
  for (const path of [...paths].filter((each) => !each.startsWith('/v1/'))) {
    itInTurns(`${path} refuses every other method with a problem that names the allowed ones`, async () => {
      const address = path.replaceAll(/\{(\w+)\}/gu, (_match, name: string) => ids[name] ?? '');
      const taken = operations
        .filter((each) => each.split(' ')[1] === path)
        .map((each) => each.split(' ')[0]);
      for (const method of ['get', 'post', 'put', 'patch', 'delete', 'options']) {
        if (taken.includes(method)) continue;
        const { status, json, headers } = await server.ask(method.toUpperCase(), address);
        expect([method, status, json.code]).toEqual([method, 405, 'method_not_allowed']);
        const allowed =
          headers
            .get('allow')
            ?.split(', ')
            .filter((each) => each !== 'HEAD') ?? [];
        expect(allowed.sort()).toEqual(taken.map((each) => (each ?? '').toUpperCase()).sort());
      }
    });
  }

  it.each(['/api', '/api/', '/api/chats/', '/api/chat', '/api/chats/x/nothing', '/nothing', '/metrics/x'])(
    'there is no route at %s, and a client with a token gets a problem',
    async (path) => {
      const { status, json, headers } = await server.ask('GET', path);
      expect([status, json.code]).toEqual([404, 'not_found']);
      expect(headers.get('content-type')).toBe('application/problem+json');
      expect((await server.ask('GET', path, { token: null })).status).toBe(401);
    },
  );
});
