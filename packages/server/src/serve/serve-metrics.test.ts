/** The metrics port of a worker: tokens, headers, and nothing else. */
import { expect, it, onTestFinished } from 'vitest';
import { openStore } from '@truecast/store/internal/open-store';
import { issueToken } from '../tokens/access-token.ts';
import { ServerMetrics } from '../metrics/server-metrics.ts';
import { ModelPacing } from '../pacing/model-pacing.ts';
import { serveMetrics } from './serve-metrics.ts';

it('needs a token with the scope `metrics`, has no other address, and is never cached', async () => {
  const store = await openStore({ url: ':memory:' });
  onTestFinished(() => store.close());
  const worker = { store, metrics: new ServerMetrics(), pacing: new ModelPacing() };
  const server = await serveMetrics(worker, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close());
  const { token } = await issueToken(store, { name: 'metrics', scopes: ['metrics'] });
  const { token: chats } = await issueToken(store, { name: 'chats' });
  for (const [path, sent, status] of [
    ['/metrics', token, 200],
    ['/metrics', undefined, 401],
    ['/metrics', chats, 404],
    [`/metrics?access_token=${token}`, undefined, 401],
    ['/%6detrics', undefined, 401],
    ['/healthz', undefined, 200],
    ['/api/chats', chats, 404],
    ['/', token, 404],
  ] as const) {
    const authorization = sent === undefined ? {} : { authorization: `Bearer ${sent}` };
    const response = await fetch(`${server.url}${path}`, { headers: authorization });
    expect([path, response.status]).toEqual([path, status]);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  }
});
