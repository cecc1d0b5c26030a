/** Metrics of a worker without chats over HTTP: `/metrics` and `/healthz` on a separate port. */
import { Hono } from 'hono';
import { bindServer, type BoundServer } from '../http/app/bind-server.ts';
import { answerMetrics } from '../http/routes/metrics-route.ts';
import { problemResponse } from '../http/problem-response.ts';
import { setSafeHeaders } from '../http/safe-headers.ts';
import type { OpenWorker } from './open-worker.ts';
import { explainListen } from './serve-http.ts';

/** Short, because a scrape is short. */
const GRACE_MS = 1_000;

/**
 * Serves the metrics. `/metrics` needs a token with the scope `metrics`, as on a server.
 *
 * @throws UsageError if the address is unavailable
 */
export async function serveMetrics(
  worker: Pick<OpenWorker, 'store' | 'metrics' | 'pacing'>,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<BoundServer> {
  const app = new Hono();
  app.use(async (context, next) => {
    await next();
    setSafeHeaders(context.res.headers);
  });
  app.onError((error) => problemResponse(error, 'metrics'));
  app.get('/healthz', (context) => context.json({ status: 'ok' }));
  app.get('/metrics', ({ req }) => answerMetrics(req.raw, worker));
  try {
    return await bindServer({ fetch: app.fetch, host, port, graceMs: GRACE_MS });
  } catch (cause) {
    throw explainListen(cause, host, port);
  }
}
