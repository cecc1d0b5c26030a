/**
 * Next's handling of a route without its compiler: the request adapter, the route module and the writer of
 * responses that `next start` uses. The compiler, its binary and a build would cost a hundred megabytes and
 * most of the processor time, and see nothing of the server, which stays outside of the bundle.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** The members of Next's modules that are used here. */
interface RouteModule {
  handle(request: unknown, context: unknown): Promise<Response>;
}

interface NextModules {
  readonly AppRouteRouteModule: new (options: object) => RouteModule;
  readonly NodeNextRequest: new (request: IncomingMessage) => object;
  readonly NodeNextResponse: new (response: ServerResponse) => object;
  readonly NextRequestAdapter: { fromNodeNextRequest(request: object, signal: AbortSignal): object };
  signalFromNodeResponse(response: ServerResponse): AbortSignal;
  sendResponse(request: object, response: object, answer: Response): Promise<void>;
}

function loadNext(): NextModules {
  const load = (file: string): object => require(`next/dist/server/${file}.js`) as object;
  const files = [
    'route-modules/app-route/module',
    'base-http/node',
    'web/spec-extension/adapters/next-request',
    'send-response',
  ];
  // As `next start` sets it, before any module of Next is loaded.
  Object.assign(process.env, { NODE_ENV: 'production', NEXT_RUNTIME: 'nodejs' });
  load('node-environment');
  const all = files.map(load);
  return new Proxy({} as NextModules, {
    get: (_target, name) => all.map((module): unknown => Reflect.get(module, name)).find(Boolean),
  });
}

/** A module of a route: a handler for each method. */
export type RouteHandlers = Readonly<Record<string, unknown>>;

/** Serves the handlers of `app/ai/[[...path]]/route.js` as Next does. */
export function createNextApp(userland: RouteHandlers): Server {
  const next = loadNext();
  const route = new next.AppRouteRouteModule({
    definition: {
      kind: 'APP_ROUTE',
      page: '/ai/[[...path]]/route',
      pathname: '/ai/[[...path]]',
      filename: 'route',
      bundlePath: 'app/ai/[[...path]]/route',
    },
    distDir: '.next',
    relativeProjectDir: '',
    resolvedPagePath: 'app/ai/[[...path]]/route.js',
    nextConfigOutput: undefined,
    userland: () => userland,
  });
  return createServer((request, response) => {
    const given = new next.NodeNextRequest(request);
    const asked = next.NextRequestAdapter.fromNodeNextRequest(given, next.signalFromNodeResponse(response));
    const context = {
      params: { path: [] },
      previewProps: {},
      renderOpts: { experimental: {}, onClose: (end: () => void) => response.on('close', end) },
      sharedContext: { buildId: 'test', deploymentId: '' },
    };
    void route
      .handle(asked, context)
      .then((answer) => next.sendResponse(given, new next.NodeNextResponse(response), answer))
      .catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
}
