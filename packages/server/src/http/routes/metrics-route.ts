/** Handler of `GET /metrics`, for servers and workers. It needs a token with the scope `metrics`. */
import type { Store } from '@truecast/store/internal/database/store';
import { METRICS_TYPE, metricsPage, type MetricsSources } from '../../metrics/metrics-page.ts';
import { assertScope, authenticate } from '../../tokens/access-token.ts';
import { authorizationOf } from '../session/page-session.ts';

/** Sources of the page, and the tokens. */
export interface MetricsParts extends Omit<MetricsSources, 'db'> {
  readonly store: Store;
}

/** Answers a request. @throws RequestRefusedError without such a token */
export async function answerMetrics(request: Request, parts: MetricsParts): Promise<Response> {
  assertScope(await authenticate(parts, authorizationOf(request.headers)), 'metrics');
  const page = await metricsPage({ ...parts, db: parts.store.db });
  return new Response(page, { headers: { 'content-type': METRICS_TYPE } });
}
