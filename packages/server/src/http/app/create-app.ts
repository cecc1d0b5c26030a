/** HTTP application: middleware of every request, in order, and dispatch to routes. */
import { randomUUID } from 'node:crypto';
import { Hono, type Context } from 'hono';
import { TrieRouter } from 'hono/router/trie-router';
import { z } from 'zod';
import { LoopSlices } from '@truecast/store/internal/database/loop-slices';
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import { assertScope, authenticate } from '../../tokens/access-token.ts';
import { authenticateShare } from '../share-access.ts';
import { authorizationOf } from '../session/page-session.ts';
import { readSignInCode } from '../session/sign-in-code.ts';
import { docsPage } from '../pages/docs-page.ts';
import { llmsPage } from '../reference/llms-page.ts';
import { startPage } from '../pages/start-page.ts';
import { guardOrigin, originHeaders, preflightResponse } from '../guard-origin.ts';
import type { ServerMetrics } from '../../metrics/server-metrics.ts';
import { openApiDocument, WATCHED_ROUTES } from '../openapi-document.ts';
import { isServerFault, problemResponse } from '../problem-response.ts';
import { readBody } from '../read-body.ts';
import { readQuery } from '../read-query.ts';
import { readinessCheck } from '../readiness-check.ts';
import { answerMetrics } from '../routes/metrics-route.ts';
import { resolveClientIds } from '../client-addresses.ts';
import { openAIHandler } from '../openai-mount.ts';
import type { Call, HttpRoute } from '../route.ts';
import { ROUTES } from '../routes/all-routes.ts';
import { readTraceHeaders } from '@truecast/model/internal/telemetry/traceparent';
import type { SpanHeaders } from '@truecast/model/internal/telemetry/tracing';
import type { ServerParts } from '../server-parts.ts';
import { RateLimiter } from '../rate-limiter.ts';
import { setSafeHeaders } from '../safe-headers.ts';

/** Request context passed through the middleware. */
interface AppEnv {
  readonly Variables: { requestId: string; trace: SpanHeaders; route: RouteLabels };
}

/** Names of a request from a bounded set. */
interface RouteLabels {
  readonly method: string;
  readonly route: string;
}

/** The application: a function from requests to responses. */
export type App = Hono<AppEnv>;

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS']);
/** Requests that begin in one turn of the event loop. */
const REQUESTS_A_TURN = 4;
type KnownRoute = Pick<HttpRoute, 'method' | 'path'>;

/** Every documented address, under all its methods. */
const ADDRESSES = addressRouter([...ROUTES, ...WATCHED_ROUTES]);

/** Addresses of the OpenAI-compatible API, for metrics. Its own router answers them. */
const OPENAI_ADDRESSES = addressRouter([
  { method: 'post', path: '/v1/chat/completions' },
  { method: 'post', path: '/v1/responses' },
  { method: 'get', path: '/v1/models' },
  { method: 'get', path: '/v1/models/:id' },
]);

const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

export function createApp(parts: ServerParts): App {
  const app = new Hono<AppEnv>();
  const { metrics } = parts;
  const meter = new RateLimiter(parts.limits, () => performance.now());
  const slices = new LoopSlices(REQUESTS_A_TURN);
  app.use(async (context, next) => {
    const startedMs = performance.now();
    context.set('requestId', randomUUID());
    context.set('route', routeOf(context.req));
    await traced(parts, context, next);
    observe(parts, context, performance.now() - startedMs);
    for (const [name, value] of Object.entries(originHeaders(context.req.raw.headers, parts))) {
      context.res.headers.set(name, value);
    }
  });
  // Inside the metrics middleware, so that refusals are counted and get its headers.
  app.use(async (context, next) => {
    guardOrigin(context.req.raw.headers, new URL(context.req.url), parts);
    const preflight = preflightResponse(context.req.raw, parts);
    if (preflight === undefined) await next();
    else context.res = preflight;
  });
  app.onError((error, context) => {
    const requestId = context.get('requestId');
    if (isServerFault(error)) parts.onFault(error, requestId);
    return problemResponse(error, requestId);
  });
  app.get('/healthz', (context) => context.json({ status: 'ok' }));
  const checkReadiness = readinessCheck(parts.store, (error) => parts.onFault(error, 'readyz'));
  app.get('/readyz', (context) =>
    checkReadiness().then(
      () => context.json({ status: 'ready', unavailable_models: parts.pacing.countOpen() }),
      (error: unknown) => problemResponse(error, context.get('requestId')),
    ),
  );
  addPages(app, parts);
  app.get('/metrics', (context) => answerMetrics(context.req.raw, parts));
  for (const route of ROUTES) {
    app.on(route.method.toUpperCase(), route.path, (context) =>
      answer({ parts, slices, meter, metrics }, route, context),
    );
  }
  if (parts.openAI !== undefined) {
    const openAI = openAIHandler(parts, meter, parts.openAI);
    app.all('/v1/*', async (context) => {
      await slices.next();
      return openAI(context.req.raw, context.get('trace'));
    });
  }
  app.all('*', async (context) => {
    await authenticate(parts, authorizationOf(context.req.raw.headers));
    throw refuseUnknown(context);
  });
  return app;
}

/** Runs the request in a span, as a child of its `traceparent` header. An invalid one starts a new trace. */
function traced({ trace }: ServerParts, context: Context<AppEnv>, next: () => Promise<void>): Promise<void> {
  const { req } = context;
  const { method, route } = context.get('route');
  const attributes = { 'http.request.method': method, 'http.route': route };
  const parent = readTraceHeaders(req.raw.headers);
  return trace({ name: `${method} ${route}`, kind: 'server', parent, attributes }, async (span) => {
    context.set('trace', span);
    await next();
    const { status } = context.res;
    span.set({ 'http.response.status_code': status, ...(status >= 500 && { 'error.type': String(status) }) });
  });
}

function routeOf(req: Context['req']): RouteLabels {
  const known = routesAt(req.path, req.path.startsWith('/v1/') ? OPENAI_ADDRESSES : ADDRESSES);
  const { path: route = 'other' } = known.find(({ method }) => method === req.method.toLowerCase()) ?? {};
  // Clients can send any text as a method.
  return { method: METHODS.has(req.method) ? req.method : 'other', route };
}

function observe({ metrics, onRequest }: ServerParts, context: Context<AppEnv>, durationMs: number): void {
  const { req, res } = context;
  const { method, route } = context.get('route');
  const { status } = res;
  const requestId = context.get('requestId');
  const { traceparent } = context.get('trace');
  metrics.observe(method, route, status, durationMs / 1_000);
  onRequest?.({ requestId, method, route, status, durationMs, traceparent });
  res.headers.set('x-request-id', requestId);
  if (res.status === 405) res.headers.set('allow', methodsAt(req.path).join(', '));
  setSafeHeaders(res.headers);
}

function addPages(app: App, { console, basePath }: ServerParts): void {
  app.get('*', async (context, next) => {
    const file = console?.answer(context.req.raw);
    if (file === undefined) await next();
    else context.res = file;
  });
  app.get('/', (context) => context.html(startPage(), 200, { 'content-security-policy': PAGE_POLICY }));
  let made: Promise<object> | undefined;
  const document = (): Promise<object> => (made ??= openApiDocument(ROUTES, basePath));
  app.get('/openapi.json', async (context) =>
    context.body(JSON.stringify(await document()), 200, { 'content-type': 'application/json' }),
  );
  app.get('/docs/llms.txt', async (context) => context.text(llmsPage(await document())));
  app.get('/docs', async (context) =>
    context.html(docsPage(await document()), 200, { 'content-security-policy': PAGE_POLICY }),
  );
}

interface Answering {
  readonly parts: ServerParts;
  readonly slices: LoopSlices;
  readonly meter: RateLimiter;
  readonly metrics: ServerMetrics;
}

/** Checks in disclosure order: authenticate, check the scope, rate-limit, then parse. */
async function answer(
  { parts, slices, meter, metrics }: Answering,
  route: HttpRoute,
  context: Context<AppEnv>,
): Promise<Response> {
  await slices.next();
  const { scope = 'chats' } = route;
  const { token, share, code } = await identify(parts, context.req.raw.headers, scope);
  const isStream = route.isStream === true;
  const leave = meter.enter(token.id, isStream ? 'streams' : 'requests');
  if (isStream) metrics.openStreams += 1;
  const onStreamEnd = (): void => {
    leave();
    metrics.openStreams -= 1;
  };
  let isAnswered = false;
  try {
    const call: Call<unknown, unknown> = {
      parts,
      token,
      ...(share !== undefined && { share }),
      ...(code !== undefined && { code }),
      owner: token.owner,
      params: await resolveClientIds(parts, token.owner, context.req.param()),
      query: readQuery(context.req.url, route.query ?? NO_BODY),
      body: await readBody(context.req.raw, route.body ?? NO_BODY, {
        judgesFormat: route.judgesFormat ?? true,
        hasOwnLimits: route.hasOwnLimits ?? false,
        maxBytes: parts.maxBodyBytes,
      }),
      target: `${context.req.method} ${context.req.path}`,
      headers: context.req.raw.headers,
      trace: context.get('trace'),
      signal: AbortSignal.any([context.req.raw.signal, parts.closing]),
      onStreamEnd,
    };
    const given = await route.handle(call);
    isAnswered = true;
    // A HEAD response has no reader. Its stream would never end.
    if (isStream && context.req.method === 'HEAD' && given instanceof Response) await given.body?.cancel();
    return given instanceof Response ? given : toResponse(given);
  } finally {
    if (!isStream) leave();
    else if (!isAnswered) onStreamEnd();
  }
}

/** A share link has a token without scopes, so that it counts for rate limits. */
async function identify(
  parts: ServerParts,
  headers: Headers,
  scope: NonNullable<HttpRoute['scope']>,
): Promise<Pick<Call<unknown, unknown>, 'token' | 'share' | 'code'>> {
  const header = authorizationOf(headers);
  if (scope === 'share') {
    const share = await authenticateShare(parts, header);
    return { share, token: { ...share, name: 'share', scopes: [] } };
  }
  const code = scope === 'sign-in' ? await readSignInCode(parts.store, header) : undefined;
  // A cached row could be older than the revocation of the token.
  if (code !== undefined) {
    return { code, token: await authenticate(parts, code.authorization, { isFresh: true }) };
  }
  const token = await authenticate(parts, header);
  if (scope !== 'any' && scope !== 'sign-in') assertScope(token, scope);
  return { token };
}

const NO_BODY = z.strictObject({});

function toResponse({ status, body }: { readonly status: number; readonly body?: unknown }): Response {
  if (body === undefined) return new Response(null, { status });
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
}

function refuseUnknown(context: Context<AppEnv>): RequestRefusedError {
  const allowed = methodsAt(context.req.path);
  if (allowed.length === 0) {
    return new RequestRefusedError('No route has this address. `/docs` lists all routes.', {
      code: 'not-found',
    });
  }
  return new RequestRefusedError(`This address accepts only ${allowed.join(', ')}.`, {
    code: 'method-not-allowed',
  });
}

function methodsAt(address: string): readonly string[] {
  return routesAt(address).flatMap(({ method }) =>
    method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()],
  );
}

function routesAt(address: string, router = ADDRESSES): readonly KnownRoute[] {
  return router.match('ALL', address)[0].map(([route]) => route);
}

function addressRouter(routes: readonly KnownRoute[]): TrieRouter<KnownRoute> {
  const router = new TrieRouter<KnownRoute>();
  for (const route of routes) router.add('ALL', route.path, route);
  return router;
}
